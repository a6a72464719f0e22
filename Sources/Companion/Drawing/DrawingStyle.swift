/// How faces are drawn: the overlay, and whether the picture is mirrored.
package struct DrawingStyle: Hashable, Sendable {
    package var overlay: OverlayChoice
    package var isMirrored: Bool

    package init(overlay: OverlayChoice = .builtIn(.label), isMirrored: Bool = false) {
        self.overlay = overlay
        self.isMirrored = isMirrored
    }

    /// The built-in overlays, and the chosen one if it is a file. Throws `CommandFailure` with all errors in the file.
    package func overlays() throws -> Overlays {
        guard case .file(let path) = overlay else { return Overlays() }
        do {
            return Overlays(own: try OwnOverlay(path: path), name: overlay.name)
        } catch {
            throw CommandFailure(lines: error.text(about: "the overlay has").split(separator: "\n"))
        }
    }
}

/// The choice of an overlay: a built-in one by name, or a file with the user's own.
package enum OverlayChoice: Hashable, Sendable {
    case builtIn(OverlayName)
    case file(String)

    /// The names of the example overlay files, which are installed with the programs.
    package static let examples = ["cat", "crown", "glasses", "moustache", "party", "wreath"]

    package init?(argument: String) {
        if let name = OverlayName(rawValue: argument) {
            self = .builtIn(name)
        } else if Self.examples.contains(argument) {
            self = .file(Self.path(ofExample: argument))
        } else {
            guard [".yaml", ".yml"].contains(where: argument.hasSuffix) else { return nil }
            self = .file(argument)
        }
    }

    /// The path of an example overlay: the installed file, or else the repository's if the command is run from there.
    private static func path(ofExample name: String) -> String {
        let paths = [RunningProgram.data + "/overlays/\(name).yaml", "docs/examples/overlays/\(name).yaml"]
        return paths.first(where: FileManager.default.fileExists) ?? paths[0]
    }

    /// The overlay's name. For a file, its extension is left out unless a built-in overlay has the same name.
    package var name: String {
        switch self {
        case .builtIn(let name): return name.rawValue
        case .file(let path):
            let file = URL(filePath: path)
            let name = file.deletingPathExtension().lastPathComponent
            return OverlayName(rawValue: name) == nil ? name : file.lastPathComponent
        }
    }
}
