package import FaceMessages

/// One way to draw faces over a picture.
package protocol Overlay {
    /// Whether it makes the faces in the picture unrecognisable, so that the picture itself must not be shown beside it.
    var hidesFaces: Bool { get }
    /// Whether the zones are drawn with their names and the number of faces in each.
    var showsZones: Bool { get }

    func draw(_ faces: [DrawnFace], snapshotFlash: Double, on canvas: Canvas)

    /// Draws one face, for an overlay that draws each by itself.
    func draw(_ face: DrawnFace, on canvas: Canvas)
}

extension Overlay {
    package var hidesFaces: Bool { false }
    package var showsZones: Bool { false }
    package func draw(_ faces: [DrawnFace], snapshotFlash: Double, on canvas: Canvas) {
        for face in faces { draw(face, on: canvas) }
    }
    package func draw(_ face: DrawnFace, on canvas: Canvas) {}
}

/// A face with what an overlay needs beside it.
package struct DrawnFace: Hashable, Sendable {
    package var face: SurfaceFace
    /// How strong the mark of each kind of event is now, 0…1; absent is 0.
    package var flashes: [Topic: Double]
    /// For how many seconds an eye has been closed.
    var closedFor = 0.0

    package init(face: SurfaceFace, flashes: [Topic: Double] = [:]) { (self.face, self.flashes) = (face, flashes) }

    /// How strong the mark of an event is now, 0…1.
    func flash(_ kind: Topic) -> Double { flashes[kind] ?? 0 }
}

/// A built-in overlay, by the name that options and pages have for it.
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

    /// What it draws, for people.
    package var summary: String {
        switch self {
        case .label: "the box, with what the face does in words"
        case .box: "a white square with round corners that turns with the head"
        case .hearts: "hearts for eyes"
        case .santa: "a hat, a moustache and a beard"
        case .square: "a red square with the smile and the closed eyes in words"
        case .mesh: "landmarks, axes of the head and values, for diagnosis"
        case .pixelate: "coarse pixels over the face; hides it"
        case .blur: "a blur over the face; hides it"
        case .silhouette: "a flat shape of head and shoulders; hides the person"
        }
    }

    package var overlay: any Overlay {
        switch self {
        case .label: LabelOverlay()
        case .box: BoxOverlay()
        case .hearts: HeartsOverlay()
        case .santa: SantaOverlay()
        case .square: SquareOverlay()
        case .mesh: MeshOverlay()
        case .pixelate: PrivacyOverlay(style: .pixelate)
        case .blur: PrivacyOverlay(style: .blur)
        case .silhouette: PrivacyOverlay(style: .silhouette)
        }
    }
}
