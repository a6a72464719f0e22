import Foundation
package import OverlayRendering

/// An overlay by its name, or the file of one of the user's own.
package enum OverlayChoice: Hashable, Sendable {
    case builtIn(OverlayName)
    case file(String)

    private static let endings = [".yaml", ".yml"]

    package init?(argument: String) {
        if let name = OverlayName(rawValue: argument) {
            self = .builtIn(name)
        } else if Self.endings.contains(where: argument.hasSuffix) {
            self = .file(argument)
        } else {
            return nil
        }
    }

    /// The overlay's name where overlays are chosen: that of its file, without the ending unless a built-in one is named so.
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
