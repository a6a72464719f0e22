import System
import Yams

/// The content of a settings file: the values by dotted key, such as `camera.name`, and the line number of each key.
package struct SettingsFile {
    enum Value: Hashable {
        case text(String)
        case list([String])
    }

    /// The file that error messages name as an example of the daemon's settings.
    package static let daemonExample = "config/facetd.yaml"

    /// The maximum number of YAML aliases. Settings need none, and nested aliases multiply the parser's work.
    private static let maximumAliases = 16

    package let path: String
    private let example: String
    private(set) var values: [String: Value] = [:]

    /// The line number of each key, including the keys of groups; the first line is 1.
    package private(set) var lines: [String: Int] = [:]

    private(set) var problems: [SettingsProblem] = []

    /// Reads and parses a file. Error messages name `example` as a file to compare with. Throws `SettingsError` if the
    /// file cannot be read, is not YAML, or contains no settings.
    package init(path: String, example: String = daemonExample) throws(SettingsError) {
        let text: String
        do {
            text = try SmallFile.text(at: path)
        } catch {
            throw SettingsError(path, "cannot be read: \(error.reason)")
        }
        try self.init(path: path, text: text, example: example)
    }

    /// Parses `text`; error messages name `path` as its file. Throws `SettingsError` if it is not YAML or is empty.
    package init(path: String, text: String, example: String = daemonExample) throws(SettingsError) {
        self.path = path
        self.example = example
        guard Self.aliases(in: text) <= Self.maximumAliases else {
            let aliases = "holds more than \(Self.maximumAliases) YAML aliases (*name)"
            throw SettingsError(path, "\(aliases), which settings do not use; write the values")
        }
        let root: Node?
        do {
            // After a byte order mark, the parser takes each further group for another document.
            root = try Yams.compose(yaml: text.withoutByteOrderMark)
        } catch {
            // The parser's error quotes a line, which may contain a secret.
            Secrets.learn(from: text)
            let reason = Self.tab(in: text) ?? String(describing: error).split(separator: "\n").joined(separator: " ")
            throw SettingsError(path, "is not valid YAML: \(reason)")
        }
        guard let root, root != Node("", Tag(.null)), root.null == nil else {
            let remedy = "leave the option out to use the defaults, or start from \(example)"
            throw SettingsError(path, "holds no settings; \(remedy)")
        }
        guard let mapping = root.mapping else {
            throw SettingsError(path, "must hold keys and values, as \(example) does, not a single value or list")
        }
        flatten(mapping, under: "")
    }

    /// Whether another file has the same values, apart from those of `keys` and of the keys below them.
    package func agrees(with other: SettingsFile, except keys: [String]) -> Bool {
        func rest(_ file: SettingsFile) -> [String: Value] {
            file.values.filter { entry in !keys.contains { entry.key == $0 || entry.key.hasPrefix($0 + ".") } }
        }
        return rest(self) == rest(other)
    }

    func source(of key: String) -> String { lines[key].map { "\(path):\($0)" } ?? path }

    private mutating func flatten(_ mapping: Node.Mapping, under prefix: String) {
        for (keyNode, value) in mapping {
            let name = keyNode.scalar?.string ?? "?"
            let key = prefix + name
            guard !name.isEmpty, !name.contains(".") else {
                problem(key, keyNode, "must be nested, as in \(example)")
                continue
            }
            guard lines[key] == nil else {
                problem(key, keyNode, "is given twice")
                continue
            }
            lines[key] = keyNode.mark?.line
            switch value {
            case .mapping(let inner): flatten(inner, under: key + ".")
            case .scalar(let scalar):
                // A key without a value counts as not given; only its name is checked.
                if value.null == nil { values[key] = .text(scalar.string) }
                Secrets.learn(from: "\(key)=\(scalar.string)")
            case .sequence(let sequence):
                let items = sequence.compactMap(\.scalar?.string)
                guard items.count == sequence.count else {
                    problem(key, keyNode, "must be a list of single values")
                    continue
                }
                values[key] = .list(items)
            case .alias: problem(key, keyNode, "is a YAML alias, which settings do not use")
            }
        }
    }

    private mutating func problem(_ key: String, _ node: Node, _ reason: String) {
        let line = node.mark.map { ":\($0.line)" } ?? ""
        problems.append(SettingsProblem(key: key, source: path + line, reason: reason, line: node.mark?.line ?? 0))
    }

    /// Returns the error of the first line indented with a tab, which YAML does not allow; nil if there is none.
    private static func tab(in text: String) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let wrong = lines.firstIndex { $0.prefix { $0 == " " || $0 == "\t" }.contains("\t") }
        return wrong.map { "line \($0 + 1) is indented with a tab; YAML takes spaces only" }
    }

    /// Returns the number of YAML's aliases, such as `*name`. May count some text, but leaves out no alias: a comment
    /// ends at a quotation mark at the latest, since a `#` in quoted text begins none.
    private static func aliases(in text: String) -> Int {
        var previous: Unicode.Scalar = "\n"
        var isComment = false
        return text.unicodeScalars.reduce(into: 0) { count, scalar in
            switch scalar {
            case "#": isComment = isComment || " \t\r\n".unicodeScalars.contains(previous)
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}", "\"", "'": isComment = false
            case "0"..."9", "A"..."Z", "a"..."z", "_", "-": if previous == "*", !isComment { count += 1 }
            default: break
            }
            previous = scalar
        }
    }
}

/// The reason why a setting, or a whole settings file, cannot be used.
package struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
    /// The setting's dotted key; nil if the problem concerns the whole file.
    package var key: String?
    /// The origin of the value: a file with a line, an environment variable, or the command line.
    package var source: String
    package var reason: String
    /// The line in the file; 0 if the value comes from elsewhere.
    var line = 0

    /// The source, the key and the reason in one line, each shortened if it is very long.
    package var description: String {
        let parts = [source, key, reason].compactMap(\.self)
        return parts.map { $0.utf8.count > 300 ? $0.prefix(200) + "…" : $0 }.joined(separator: ": ")
    }
}

/// The problems that make settings unusable, all of them at once.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of problems that the text lists. A person reads no more than these before the next try.
    static let maximumShown = 20

    /// The problems, at least one; those of a file are ordered by line.
    package var problems: [SettingsProblem]

    package init(problems: [SettingsProblem]) { self.problems = problems.sorted { $0.line < $1.line } }

    package init(_ path: String, _ reason: String) {
        problems = [SettingsProblem(key: nil, source: path, reason: reason)]
    }

    /// The number of problems, then one line for each of them, up to `maximumShown`.
    package var description: String { text(about: "the settings have") }

    /// Returns a text of `beginning`, the number of problems, and one line for each of them, up to `maximumShown`.
    package func text(about beginning: String) -> String {
        let count = problems.count == 1 ? "one problem" : "\(problems.count) problems"
        var lines = problems.prefix(Self.maximumShown).map { "  \($0)" }
        if problems.count > lines.count { lines.append("  and \(problems.count - lines.count) more") }
        return "\(beginning) \(count):\n" + lines.joined(separator: "\n")
    }
}
