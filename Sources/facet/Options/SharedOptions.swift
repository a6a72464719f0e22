import ArgumentParser
import Foundation
import OverlayRendering
import SettingsFiles
import System
import TerminalPictures

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

    /// The overlays there are.
    ///
    /// - Throws: `CommandFailure` with all that is wrong in the file of an overlay.
    func overlays() throws -> Overlays {
        guard case .file(let path) = overlay else { return Overlays() }
        do {
            return Overlays(own: try OwnOverlay(path: path), name: overlay.name)
        } catch {
            throw CommandFailure(lines: error.text(about: "the overlay has").split(separator: "\n"))
        }
    }
}

/// What `--overlay` names.
enum OverlayChoice: ExpressibleByArgument, Hashable {
    case builtIn(OverlayName)
    case file(String)

    private static let endings = [".yaml", ".yml"]

    init?(argument: String) {
        if let name = OverlayName(rawValue: argument) {
            self = .builtIn(name)
        } else if Self.endings.contains(where: argument.hasSuffix) {
            self = .file(argument)
        } else {
            return nil
        }
    }

    /// The overlay's name where overlays are chosen: that of its file, without the ending unless a built-in one is named so.
    var name: String {
        switch self {
        case .builtIn(let name): return name.rawValue
        case .file(let path):
            let file = URL(filePath: path)
            let name = file.deletingPathExtension().lastPathComponent
            return OverlayName(rawValue: name) == nil ? name : file.lastPathComponent
        }
    }

    var defaultValueDescription: String { name }

    static var allValueStrings: [String] { OverlayName.allCases.map(\.rawValue) + ["FILE.yaml"] }

    /// Names, and the files that can be an overlay's.
    static var defaultCompletionKind: CompletionKind {
        let names = OverlayName.allCases.map(\.rawValue).joined(separator: " ")
        // Quoted patterns only: zsh ends with an error where one matches nothing.
        return .shellCommand("printf '%s\\n' \(names); find . -maxdepth 2 -name '*.yaml' | sed 's|^[.]/||'")
    }
}

extension Option where Value == String? {
    /// An option that names a file.
    init(file help: String) { self.init(help: .init("\(help)", valueName: "file"), completion: .file()) }
}

/// Reads the number of an option, of which only some have a meaning.
func number<Value>(_ range: ClosedRange<Value>) -> @Sendable (String) throws -> Value
where Value: LosslessStringConvertible & Sendable {
    { text in
        guard let number = Value(text), range.contains(number) else {
            throw ValidationError("it must be \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// The text of a file that an option names; `content` says in the error what it holds.
func text(of path: String, _ content: String) throws(CommandFailure) -> String {
    do {
        return try SmallFile.text(at: path)
    } catch {
        throw CommandFailure("cannot read the \(content) in \(error)")
    }
}

/// The first line of a text that keeps others out; `name` says in the error what it is.
func secret(_ text: String, _ name: String, atLeast count: Int) throws(CommandFailure) -> String {
    let line = String(text.prefix { !$0.isNewline })
    guard line.utf8.count >= count else {
        throw CommandFailure("the \(name) is too short: it must have \(count) characters or more")
    }
    return line
}

extension VideoGravity: ExpressibleByArgument {}
extension TerminalFormat: ExpressibleByArgument {}
