import Foundation
import System

/// Reads settings from the command line, else from the environment, else from a file, and collects all problems.
///
/// Each `read` leaves the value as it is if no source gives one.
package struct SettingsReader {
    private static let notSingle = "is a group of settings, not a single one"

    package private(set) var problems: [SettingsProblem]
    package private(set) var readKeys: Set<String> = []

    private let arguments: [String: String]
    private let environment: [String: String]
    private let file: SettingsFile?

    /// Makes a reader of the command line's `arguments` by dotted key, of the variables in `environment` that begin
    /// with `FACET_`, and of a settings `file`, if there is one.
    package init(arguments: [String: String] = [:], environment: [String: String] = [:], file: SettingsFile? = nil) {
        self.arguments = arguments
        // The password is no setting: it must not end up in anything that prints settings.
        self.environment = environment.given.filter { $0.key.hasPrefix("FACET_") && $0.key != "FACET_MQTT_PASSWORD" }
        self.file = file
        problems = file?.problems ?? []
    }

    /// Reads a setting. `parse` turns its text into a value, or returns nil if the text is not what `expected` says.
    package mutating func read<Value>(
        _ key: String,
        _ value: inout Value,
        _ expected: String,
        _ parse: (String) -> Value?
    ) {
        switch find(key) {
        case nil: break
        case .list: refuse(key, "must be \(expected), not a list")
        case .text(let text):
            if let parsed = parse(text) { value = parsed } else { refuse(key, Self.wrong(text, expected)) }
        }
    }

    /// Reads a list: in the file a YAML list, elsewhere values separated by commas; nil if no source gives one.
    package mutating func readList<Item>(_ key: String, _ expected: String, _ parse: (String) -> Item?) -> [Item]? {
        let items: [String]
        switch find(key) {
        case nil: return nil
        case .list(let list): items = list
        case .text where lookUp(key).line > 0:
            refuse(key, "must be a list of \(expected)")
            return nil
        case .text(""): items = []
        case .text(let text):
            items = text.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        return items.compactMap { text in
            let item = parse(text)
            if item == nil { refuse(key, Self.wrong(text, expected)) }
            return item
        }
    }

    private static func wrong(_ value: String, _ expected: String) -> String {
        "\"\(value.shownSource)\" is not \(expected)"
    }

    /// Reads all settings of a group into a dictionary by name. Their names need not be known in advance.
    package mutating func readGroup(_ prefix: String, _ group: inout [String: String]) {
        for name in names(in: prefix, depth: .max) { read("\(prefix).\(name)", &group[name], "a single value") { $0 } }
    }

    /// Returns the sorted names of a group's settings, which need not be known in advance. A name consists of the first
    /// `depth` parts of a setting's key inside the group. Reports a problem if the key is not a group.
    package mutating func names(in prefix: String, depth: Int = 1) -> [String] {
        switch find(prefix) {
        case nil: break
        case .list: refuse(prefix, "must be a group of settings, not a list")
        case .text: refuse(prefix, Self.notSingle)
        }
        let keys = Set((file?.lines ?? [:]).keys).union(arguments.keys).filter { $0.hasPrefix(prefix + ".") }
        let names = keys.compactMap { key -> String? in
            let parts = key.dropFirst(prefix.count + 1).split(separator: ".", omittingEmptySubsequences: false)
            return parts.contains(where: \.isEmpty) ? nil : parts.prefix(depth).joined(separator: ".")
        }
        return Set(names).sorted()
    }

    /// Reports that a setting cannot be used because of `reason`.
    package mutating func refuse(_ key: String, _ reason: String) {
        let found = lookUp(key)
        problems.append(SettingsProblem(key: key, source: found.source, reason: reason, line: found.line))
    }

    /// Reports that a required setting is missing, unless a problem with it was already reported.
    package mutating func refuseIfMissing(_ key: String, _ what: String) {
        if !hasProblem(with: key) { refuse(key, "is missing: \(what)") }
    }

    /// Whether a problem with a setting was already reported.
    package func hasProblem(with key: String) -> Bool { problems.contains { $0.key == key } }

    /// Throws all problems, if there are any. They include keys that no `read` asked for, and unknown environment
    /// variables that look like settings. For a key in `renamed`, the problem names the new key and its form.
    package mutating func finish(renamed: [String: (key: String, form: String)] = [:]) throws(SettingsError) {
        let sections = Set(readKeys.flatMap(Self.sections))
        let keys = readKeys.union(sections)
        let passed = keys.union(renamed.keys.flatMap(Self.sections))
        let inFile = (file?.lines ?? [:]).sorted { $0.value < $1.value }.map { ($0.key, $0.value) }
        for (key, line) in inFile + arguments.keys.sorted().map({ ($0, 0) }) where !passed.contains(key) {
            let source = line == 0 ? "command line" : file?.source(of: key) ?? ""
            let reason =
                renamed[key].map { "is now \($0.key)\($0.form)" }
                ?? "is not a setting" + suggestion(for: key, among: keys)
            problems.append(SettingsProblem(key: key, source: source, reason: reason, line: line))
        }
        for key in sections.subtracting(readKeys).sorted() where file?.values[key] != nil || arguments[key] != nil {
            refuse(key, Self.notSingle)
        }
        for (key, new) in renamed.sorted(by: { $0.key < $1.key }) {
            let name = Self.environmentName(key)
            guard environment[name] != nil else { continue }
            let reason = "is now \(Self.environmentName(new.key))"
            problems.append(SettingsProblem(key: name, source: "environment", reason: reason))
        }
        let known = Set(readKeys.union(renamed.keys).map(Self.environmentName))
        let prefixes = sections.map { Self.environmentName($0) + "_" }
        for name in environment.keys.sorted() where !known.contains(name) {
            // Facet's other programs have variables too, so only one that looks like a setting is reported.
            let hint = suggestion(for: name, among: known)
            guard !hint.isEmpty || prefixes.contains(where: name.hasPrefix) else { continue }
            problems.append(SettingsProblem(key: name, source: "environment", reason: "is not a setting" + hint))
        }
        if !problems.isEmpty { throw SettingsError(problems: problems) }
    }

    private mutating func find(_ key: String) -> SettingsFile.Value? {
        readKeys.insert(key)
        return lookUp(key).value
    }

    /// Returns a setting's value (nil if no source gives one), its source and its line (0 outside the file).
    private func lookUp(_ key: String) -> (value: SettingsFile.Value?, source: String, line: Int) {
        if let text = arguments[key] { return (.text(text), "command line", 0) }
        let variable = Self.environmentName(key)
        if let text = environment[variable] { return (.text(text), "environment variable \(variable)", 0) }
        return (file?.values[key], file?.source(of: key) ?? "settings", file?.lines[key] ?? 0)
    }

    private func suggestion(for key: String, among known: Set<String>) -> String {
        // A problem that is not shown needs no suggestion.
        guard problems.count < SettingsError.maximumShown else { return "" }
        return likelyName(for: key, among: known).map { "; did you mean \($0)?" } ?? ""
    }

    private static func sections(of key: String) -> [String] {
        let components = key.split(separator: ".")
        return (1..<max(1, components.count)).map { components[..<$0].joined(separator: ".") }
    }

    /// Returns the environment variable of a setting: `camera.stallTimeout` is `FACET_CAMERA_STALL_TIMEOUT`.
    package static func environmentName(_ key: String) -> String {
        let words = key.reduce(into: "") { words, character in
            if character.isUppercase, words.last?.isLowercase == true { words += "_" }
            words.append(character == "." ? "_" : character)
        }
        return "FACET_" + words.uppercased()
    }
}

// MARK: - Kinds of values

extension SettingsReader {
    package mutating func read(_ key: String, _ value: inout String) {
        read(key, &value, "a text that is not empty") { $0.isEmpty ? nil : $0 }
    }

    package mutating func read(_ key: String, _ value: inout String?) {
        read(key, &value, "a text") { $0.isEmpty ? .some(nil) : $0 }
    }

    package mutating func read(_ key: String, _ value: inout Bool) {
        let words = ["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false]
        read(key, &value, "true or false") { words[$0.lowercased()] }
    }

    package mutating func read<Number: Numeric & LosslessStringConvertible>(
        _ key: String,
        _ value: inout Number,
        in range: ClosedRange<Number>
    ) {
        let kind = Number.self == Int.self ? "a whole number" : "a number"
        read(key, &value, "\(kind) from \(range.lowerBound) to \(range.upperBound)") { range.holding(Number($0)) }
    }

    package mutating func read(
        _ key: String,
        _ value: inout Double?,
        _ unit: String,
        in range: ClosedRange<Double>,
        or word: String
    ) {
        read(key, &value, "\(unit) from \(range.lowerBound) to \(range.upperBound)", or: word) {
            range.holding(Double($0))
        }
    }

    package mutating func read<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, _ value: inout Choice) {
        read(key, &value, "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))") { Choice(rawValue: $0) }
    }

    package mutating func read<Choice: RawRepresentable<String> & Hashable>(
        _ key: String,
        _ value: inout Set<Choice>,
        of choices: [Choice]
    ) {
        let expected = "one of \(choices.map(\.rawValue).joined(separator: ", "))"
        let list = readList(key, expected) { text in choices.first { $0.rawValue == text } }
        if let list { value = Set(list) }
    }

    /// Reads a value, or nil if the text is `word`, such as `auto`.
    package mutating func read<Value>(
        _ key: String,
        _ value: inout Value?,
        _ expected: String,
        or word: String,
        _ parse: (String) -> Value?
    ) {
        read(key, &value, "\(expected), or \(word)") { text -> Value?? in
            text == word ? .some(nil) : parse(text).map { .some($0) }
        }
    }
}

extension ClosedRange {
    /// Returns the value if it is within the range, else nil.
    package func holding(_ value: Bound?) -> Bound? { value.flatMap { contains($0) ? $0 : nil } }
}

/// Returns the known name that is most similar to a misspelled one or to its last part; nil if none is similar.
package func likelyName(for name: String, among known: some Sequence<String>) -> String? {
    // No known name is that long.
    guard name.utf8.count < 100 else { return nil }
    func nearest(_ name: String, _ form: (String) -> String) -> String? {
        let nearest = known.map { (editDistance(name, form($0.lowercased())), $0) }.min { $0 < $1 }
        return nearest.flatMap { $0.0 <= max(name.count > 3 ? 2 : 1, name.count / 4) ? $0.1 : nil }
    }
    func lastPart(_ key: String) -> String { String(key.split { "._".contains($0) }.last ?? "") }
    if let whole = nearest(name.lowercased(), \.self) { return whole }
    let part = lastPart(name.lowercased())
    guard part.count > 4 else { return nil }
    // rotation is like camera.rotation, pasword like passwordFile, framerate like camera.rate.
    return nearest(part, lastPart) ?? nearest(part) { String(lastPart($0).prefix(part.count)) }
        ?? known.sorted().first { lastPart($0).count > 3 && part.hasSuffix(lastPart($0.lowercased())) }
}

/// Returns the number of bytes to insert, remove or change to turn one text into the other (Levenshtein distance).
private func editDistance(_ one: String, _ other: String) -> Int {
    let other = Array(other.utf8)
    var row = Array(0...other.count)
    for (line, byte) in one.utf8.enumerated() {
        var diagonal = row[0]
        row[0] = line + 1
        for column in other.indices {
            let replaced = diagonal + (byte == other[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
        }
    }
    return row[other.count]
}
