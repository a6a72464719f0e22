package import OverlayRendering
import SettingsFiles

/// How faces are drawn.
package struct DrawingStyle: Hashable, Sendable {
    package var overlay: OverlayChoice

    /// Whether the picture is mirrored left to right.
    package var isMirrored: Bool

    package init(overlay: OverlayChoice = .builtIn(.label), isMirrored: Bool = false) {
        self.overlay = overlay
        self.isMirrored = isMirrored
    }

    /// The overlays there are: the built-in ones, and the chosen one if it is a file.
    ///
    /// - Throws: `CommandFailure` with all that is wrong in the file.
    package func overlays() throws -> Overlays {
        guard case .file(let path) = overlay else { return Overlays() }
        do {
            return Overlays(own: try OwnOverlay(path: path), name: overlay.name)
        } catch {
            throw CommandFailure(lines: error.text(about: "the overlay has").split(separator: "\n"))
        }
    }
}
