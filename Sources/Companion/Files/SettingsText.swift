/// A settings file in which single settings can be changed. Everything else stays as it is, including comments.
package struct SettingsText {
    package let path: String
    package let lines: [Substring]
    /// The parsed settings.
    package let file: SettingsFile
    private let lineEnding: String

    package init(path: String) throws { try self.init(path: path, text: try SmallFile.text(at: path)) }

    package init(path: String, text: String) throws {
        self.path = path
        file = try SettingsFile(path: path, text: text)
        lineEnding = text.contains("\r\n") ? "\r\n" : "\n"
        // YAML counts a lone carriage return as the end of a line too.
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    /// The text of a settings group with these keys and values.
    package static func group(_ name: String, _ values: KeyValuePairs<String, String>) -> String {
        "\(name):" + values.map { "\n  \($0.key): \($0.value)" }.joined()
    }

    /// Returns the file with `lines` as its text. Throws `CommandFailure` if settings other than `keys` would change.
    package func changed(to lines: [Substring], only keys: [String]) throws -> SettingsText {
        guard let new = try? SettingsText(path: path, text: lines.joined(separator: lineEnding)),
            new.file.agrees(with: file, except: keys)
        else {
            throw CommandFailure(
                "cannot change \(keys.joined(separator: ", ")) in \(path): its settings do not stand in lines of their own, as in \(SettingsFile.daemonExample)",
                remedy: "write them there yourself; the file is as it was"
            )
        }
        return new
    }

    /// Returns the file with `body` as the lines of a top-level group, or without the group if `body` is empty.
    package func changed(_ group: String, to body: [String]) throws -> SettingsText {
        var lines = lines
        var new = body.isEmpty ? [] : ["\(group):"[...]] + body.map { $0[...] }
        let isOnly = file.lines.keys.allSatisfy { $0 == group || $0.hasPrefix(group + ".") }
        // A file must not become empty.
        if body.isEmpty, isOnly { new = ["\(group): {}"] }
        if let line = file.lines[group] {
            // The comments directly above the next key belong to that key.
            var end =
                lines[line...].firstIndex { $0.first.map { !$0.isWhitespace && $0 != "#" } ?? false } ?? lines.count
            while end > line, lines[end - 1].first.map({ $0 == "#" }) ?? true { end -= 1 }
            lines.replaceSubrange((line - 1)..<end, with: new)
        } else if !new.isEmpty {
            if lines.last == "" { lines.removeLast() }
            lines += [""] + new + [""]
        }
        return try changed(to: lines, only: [group])
    }

    /// Returns the file with `value` as the value of the setting `key` in a top-level group.
    package func changed(_ group: String, _ key: String, to value: String) throws -> SettingsText {
        var lines = lines
        let setting = "\(key): \(value)"
        let path = "\(group).\(key)"
        if let line = file.lines[path] {
            let old = lines[line - 1]
            let comment = old.firstIndex(of: "#").map { "  " + old[$0...] } ?? ""
            lines[line - 1] = old.prefix { $0 == " " } + setting + comment
        } else if let line = file.lines[group] {
            // Indented like the settings beside it.
            let indent = lines[line...].first { !$0.allSatisfy(\.isWhitespace) }?.prefix { $0 == " " } ?? ""
            lines.insert((indent.isEmpty ? "  " : indent) + setting, at: line)
        } else {
            return try changed(group, to: ["  " + setting])
        }
        return try changed(to: lines, only: [path])
    }

    /// Replaces the file atomically, keeping its owner and mode. Returns the message to the user.
    package func write() throws -> String {
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        try Array(lines.joined(separator: lineEnding).utf8).withUnsafeBytes {
            try PendingFile.write($0, to: target, mode: 0o600, keepsOwner: true)
        }
        return "written to \(path); the daemon takes it over on SIGHUP (systemctl reload facetd)"
    }
}
