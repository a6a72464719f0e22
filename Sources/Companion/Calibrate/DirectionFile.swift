package import FaceMessages

/// A settings file in which the direction is to change.
package struct DirectionFile {
    private static let key = "look.direction"

    package let file: SettingsText

    package init(path: String) throws {
        file = try SettingsText(path: path)
        let group = file.places["look"].map { file.lines[$0 - 1].prefix { $0 != "#" } }
        guard group?.trimmingPrefix("look:").allSatisfy(\.isWhitespace) ?? true else {
            throw CommandFailure("\(path): look is not written as lines below it; write look.direction there yourself")
        }
    }

    package static func text(_ direction: Gaze) -> String {
        // Adding 0 turns a negative zero into a positive one.
        "[\((direction.yaw * 10).rounded() / 10 + 0), \((direction.pitch * 10).rounded() / 10 + 0)]"
    }

    package func changed(to direction: Gaze) throws -> SettingsText {
        var lines = file.lines
        let setting = "direction: " + Self.text(direction)
        if let line = file.places[Self.key] {
            let old = lines[line - 1]
            let comment = old.firstIndex(of: "#").map { "  " + old[$0...] } ?? ""
            lines[line - 1] = old.prefix { $0 == " " } + setting + comment
        } else if let line = file.places["look"] {
            // Indented like the settings beside it.
            let indent = lines[line...].first { !$0.allSatisfy(\.isWhitespace) }?.prefix { $0 == " " } ?? ""
            lines.insert((indent.isEmpty ? "  " : indent) + setting, at: line)
        } else {
            return try file.changed("look", to: ["  " + setting])
        }
        return try file.changed(to: lines, only: [Self.key])
    }
}
