package import ArgumentParser
import Companion
import OverlayRendering

/// How faces are drawn; the same for every command that draws.
struct DrawingOptions: ParsableArguments {
    @Option(
        help: """
            How faces are drawn: an overlay's name, of which \
            \(OverlayName.allCases.filter(\.overlay.hidesFaces).map(\.rawValue).joined(separator: ", ")) hide them, or the file \
            of an overlay of your own, as companion.md in the documentation describes it.
            """
    )
    var overlay = OverlayChoice.builtIn(.label)

    @Flag(help: "Mirror the picture left to right, as people expect of their own image.")
    var mirror = false

    var style: DrawingStyle { DrawingStyle(overlay: overlay, isMirrored: mirror) }
}

extension OverlayChoice: ExpressibleByArgument {
    package var defaultValueDescription: String { name }

    package static var allValueStrings: [String] { OverlayName.allCases.map(\.rawValue) + ["FILE.yaml"] }

    /// Names, and the files that can be an overlay's.
    package static var defaultCompletionKind: CompletionKind {
        let names = OverlayName.allCases.map(\.rawValue).joined(separator: " ")
        // Quoted patterns only: zsh ends with an error where one matches nothing.
        return .shellCommand("printf '%s\\n' \(names); find . -maxdepth 2 -name '*.yaml' | sed 's|^[.]/||'")
    }
}
