/// The overlays that a command can draw by name: the built-in ones, and after them one of the user's own.
package struct Overlays {
    private let own: (name: String, overlay: OwnOverlay)?
    /// The names, in the order in which they are offered.
    package let names: [String]

    /// The built-in overlays, and perhaps another one, whose name must not be one of theirs.
    package init(own overlay: OwnOverlay? = nil, name: String = "") {
        precondition(OverlayName(rawValue: name) == nil, "\(name) is a built-in overlay")
        own = overlay.map { (name, $0) }
        names = OverlayName.allCases.map(\.rawValue) + (overlay == nil ? [] : [name])
    }

    /// The overlay of a name; the first one if there is none.
    package subscript(name: String) -> any Overlay {
        if let own, own.name == name { return own.overlay }
        return (OverlayName(rawValue: name) ?? .label).overlay
    }
}
