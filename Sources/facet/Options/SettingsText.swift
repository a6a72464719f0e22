import Foundation
import SettingsFiles
import System

/// A settings file of which a part is to change, and everything else, comments too, to stay.
struct SettingsText {
    /// A file that shows what settings look like, for messages.
    static let example = "config/facetd.yaml"

    let path: String
    let lines: [Substring]
    /// The lines on which keys stand, counted from 1.
    let places: [String: Int]

    init(path: String) throws {
        try self.init(path: path, text: try SmallFile.text(at: path))
    }

    init(path: String, text: String) throws {
        self.path = path
        places = try SettingsFile(path: path, text: text, example: Self.example).lines
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The text with other lines in a group that has no group around it; without lines, without the group.
    func text(with body: [String], as group: String) -> String {
        var lines = lines
        let new = body.isEmpty ? [] : ["\(group):"[...]] + body.map { $0[...] }
        if let line = places[group] {
            // Up to the next key; what stands before that belongs to it.
            var end =
                lines[line...].firstIndex { $0.first.map { !$0.isWhitespace && $0 != "#" } ?? false } ?? lines.count
            while end > line, lines[end - 1].first.map({ $0 == "#" }) ?? true { end -= 1 }
            lines.replaceSubrange((line - 1)..<end, with: new)
        } else if !new.isEmpty {
            if lines.last == "" { lines.removeLast() }
            lines += [""] + new + [""]
        }
        return lines.joined(separator: "\n")
    }

    /// Writes a text into the file.
    ///
    /// - Returns: what to tell the person at the terminal.
    func write(_ text: String) throws -> String {
        do {
            // In place, so that the file keeps its owner and its mode.
            try Data(text.utf8).write(to: URL(filePath: path))
        } catch {
            throw CommandFailure("cannot write \(path): \(SystemReason(error))")
        }
        return "written to \(path); the daemon takes it over on SIGHUP (systemctl reload facetd)"
    }
}
