/// A way to draw faces over a picture.
package protocol Overlay {
    /// Whether the overlay makes faces unrecognisable, so that the picture must not be shown without it.
    var hidesFaces: Bool { get }
    /// Whether zones are drawn, with their names and the number of faces in each.
    var showsZones: Bool { get }

    func draw(_ faces: [SurfaceFace], snapshotFlash: Double, on canvas: Canvas)

    /// Draws one face; called by the default implementation of `draw` for several faces.
    func draw(_ face: SurfaceFace, on canvas: Canvas)
}

extension Overlay {
    package var hidesFaces: Bool { false }
    package var showsZones: Bool { false }
    package func draw(_ faces: [SurfaceFace], snapshotFlash: Double, on canvas: Canvas) {
        for face in faces { draw(face, on: canvas) }
    }
    package func draw(_ face: SurfaceFace, on canvas: Canvas) {}
}

/// A built-in overlay; the raw value is its name in command options and on pages.
package enum OverlayName: String, Hashable, Sendable, CaseIterable {
    case label
    case box
    case hearts
    case santa
    case square
    case mesh
    case pixelate
    case blur
    case silhouette

    /// A description of what the overlay draws, for users.
    package var summary: String { entry.summary }
    package var overlay: any Overlay { entry.overlay }

    private var entry: (summary: String, overlay: any Overlay) {
        switch self {
        case .label: ("the box, with what the face does in words", LabelOverlay())
        case .box: ("a white square with round corners that turns with the head", BoxOverlay())
        case .hearts: ("hearts for eyes", HeartsOverlay())
        case .santa: ("a hat, a moustache and a beard", SantaOverlay())
        case .square: ("a red square with the smile and the closed eyes in words", SquareOverlay())
        case .mesh: ("landmarks, axes of the head and values, for diagnosis", MeshOverlay())
        case .pixelate: ("coarse pixels over the face; hides it", PrivacyOverlay(style: .pixelate))
        case .blur: ("a blur over the face; hides it", PrivacyOverlay(style: .blur))
        case .silhouette: ("a flat shape of head and shoulders; hides the person", PrivacyOverlay(style: .silhouette))
        }
    }
}

/// The overlays that a command offers: the built-in ones, then one of the user's own if there is one.
package struct Overlays {
    private var all: [(name: String, overlay: any Overlay)] = OverlayName.allCases.map { ($0.rawValue, $0.overlay) }
    /// The names of the overlays, in the order in which they are offered.
    package var names: [String] { all.map(\.name) }

    /// Makes the list of the built-in overlays and one of the user's own, whose name must not be a built-in one.
    package init(own overlay: OwnOverlay? = nil, name: String = "") {
        precondition(OverlayName(rawValue: name) == nil, "\(name) is a built-in overlay")
        if let overlay { all.append((name, overlay)) }
    }

    /// The overlay with a name; the first overlay if the name is unknown.
    package subscript(name: String) -> any Overlay { (all.first { $0.name == name } ?? all[0]).overlay }
}
