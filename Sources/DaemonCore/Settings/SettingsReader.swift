import Configuration
import Foundation
import Synchronization

/// Reads settings strictly: what is wrong is remembered, not replaced by a default in silence.
///
/// swift-configuration decides which source wins: command line, environment, file. All values are read as text and parsed
/// here, so that every kind of mistake gets the same kind of answer: where, what was found, what is expected.
struct SettingsReader {
    private static let commandLine = "command line"
    private static let notSingle = "is a group of settings, not a single one"

    /// The settings' problems so far.
    private(set) var problems: [SettingsProblem]

    private let config: ConfigReader
    private let audit = ReadAudit()
    private let arguments: [String: String]
    private let environment: [String: String]
    private let file: SettingsFile?
    /// Every key that a setting was read by so far, and every group's.
    private(set) var readKeys: Set<String> = []

    /// - Parameters:
    ///   - arguments: What the command line said, by dotted key.
    ///   - environment: The environment; only variables that begin with `FACET_` count.
    ///   - file: The settings file, if there is one.
    init(arguments: [String: String], environment: [String: String], file: SettingsFile?) {
        self.arguments = arguments
        // One with a dot too many would stand for the key without it, which may be there as well; it is refused later.
        let given = arguments.filter { Self.isKey($0.key) }
            .map { (Self.key($0.key), ConfigValue(.string($0.value), isSecret: false)) }
        // The password is no setting: it must not end up in anything that prints settings.
        self.environment = environment.filter { $0.key.hasPrefix("FACET_") && $0.key != "FACET_MQTT_PASSWORD" }
        self.file = file
        problems = file?.problems ?? []
        config = ConfigReader(
            providers: [
                InMemoryProvider(name: Self.commandLine, values: Dictionary(uniqueKeysWithValues: given)),
                EnvironmentVariablesProvider(environmentVariables: self.environment).prefixKeys(with: "facet"),
                InMemoryProvider(name: file?.path ?? "no file", values: file?.values ?? [:]),
            ],
            accessReporter: audit
        )
    }

    /// A setting; `parse` makes a value of its text, or nil if the text is not as `expected` says.
    mutating func value<Value>(
        _ key: String,
        default fallback: Value,
        expected: String,
        _ parse: (String) -> Value?
    ) -> Value {
        guard let text = text(key, expected: expected) else { return fallback }
        if let value = parse(text) { return value }
        refuse(key, "\"\(text)\" is not \(expected)")
        return fallback
    }

    /// A setting that is a list, in the file as a YAML list, elsewhere separated by commas.
    mutating func list<Element>(
        _ key: String,
        default fallback: [Element],
        expected: String,
        _ parse: (String) -> Element?
    ) -> [Element] {
        guard let items = items(key) else {
            if audit.failed { refuse(key, "must be a list of \(expected)") }
            return fallback
        }
        var elements: [Element] = []
        for item in items {
            if let element = parse(item) {
                elements.append(element)
            } else {
                refuse(key, "\"\(item)\" is not \(expected)")
            }
        }
        return elements
    }

    /// The texts of a list; the command line has no lists, so a text there is taken apart as the environment's are.
    private mutating func items(_ key: String) -> [String]? {
        readKeys.insert(key)
        guard let text = arguments[key] else { return config.stringArray(forKey: ConfigKey(key)) }
        guard !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    /// All settings under a key whose names are not known beforehand, by name.
    mutating func group(_ prefix: String) -> [String: String] {
        var group: [String: String] = [:]
        let keys = Set((file?.lines ?? [:]).keys).union(arguments.keys)
        for key in keys.sorted() where key.hasPrefix(prefix + ".") {
            let name = String(key.dropFirst(prefix.count + 1))
            guard Self.isKey(name) else { continue }
            group[name] = text(key, expected: "a single value")
        }
        if text(prefix, expected: "a group of settings") != nil { refuse(prefix, Self.notSingle) }
        return group
    }

    /// Notes that a setting's value, well-formed as it is, cannot be used.
    mutating func refuse(_ key: String, _ reason: String) {
        problems.append(SettingsProblem(key: key, source: source(of: key), reason: reason))
    }

    /// Notes every key of the file and the command line that no setting was read by, and every variable of the
    /// environment that looks like one.
    mutating func refuseUnknown() {
        let sections = Set(readKeys.flatMap(Self.sections))
        let keys = readKeys.union(sections)
        let inFile = (file?.lines ?? [:]).sorted { $0.value < $1.value }.map(\.key)
        let found =
            inFile.map { ($0, file?.source(of: $0) ?? "settings") }
            + arguments.keys.sorted().map { ($0, Self.commandLine) }
        for (key, source) in found where !keys.contains(key) {
            let reason = "is not a setting" + suggestion(for: key, among: keys)
            problems.append(SettingsProblem(key: key, source: source, reason: reason))
        }
        for key in sections.subtracting(readKeys).sorted()
        where file?.values[Self.key(key)] != nil || arguments[key] != nil {
            refuse(key, Self.notSingle)
        }
        let known = Set(readKeys.map(Self.environmentName))
        let prefixes = sections.map { Self.environmentName($0) + "_" }
        for name in environment.keys.sorted() where !known.contains(name) {
            // Other programs of ours have variables too: only what looks like a setting must be one.
            let hint = suggestion(for: name, among: known)
            guard !hint.isEmpty || prefixes.contains(where: name.hasPrefix) else { continue }
            problems.append(SettingsProblem(key: name, source: "environment", reason: "is not a setting" + hint))
        }
    }

    private mutating func text(_ key: String, expected: String) -> String? {
        readKeys.insert(key)
        let text = config.string(forKey: ConfigKey(key))
        if text == nil, audit.failed { refuse(key, "must be \(expected), not a list") }
        return text
    }

    private func source(of key: String) -> String {
        // The command line and the environment stand before the file, in this order.
        _ = config.string(forKey: ConfigKey(key))
        return switch audit.provider {
        case 0: Self.commandLine
        case 1: "environment variable \(Self.environmentName(key))"
        default: file?.source(of: key) ?? "settings"
        }
    }

    private func suggestion(for key: String, among known: Set<String>) -> String {
        let nearest = known.map { (editDistance(key.lowercased(), $0.lowercased()), $0) }.min { $0 < $1 }
        guard let nearest, nearest.0 <= max(2, key.count / 4) else { return "" }
        return "; did you mean \(nearest.1)?"
    }

    private static func key(_ dotted: String) -> AbsoluteConfigKey {
        AbsoluteConfigKey(dotted.split(separator: ".").map(String.init))
    }

    /// Whether no part of a dotted key is empty.
    private static func isKey(_ dotted: String) -> Bool {
        !dotted.split(separator: ".", omittingEmptySubsequences: false).contains(where: \.isEmpty)
    }

    private static func sections(of key: String) -> [String] {
        let components = key.split(separator: ".")
        return (1..<max(1, components.count)).map { components[..<$0].joined(separator: ".") }
    }

    /// The variable that holds a setting: `camera.stallTimeout` is `FACET_CAMERA_STALL_TIMEOUT`.
    static func environmentName(_ key: String) -> String {
        var name = "FACET_"
        var previousIsLowercase = false
        for character in key {
            if character.isUppercase, previousIsLowercase { name += "_" }
            previousIsLowercase = character.isLowercase
            name += character == "." ? "_" : character.uppercased()
        }
        return name
    }
}

/// Sees every reading of a setting: which source answered, and whether one could not.
private final class ReadAudit: AccessReporter {
    private let last = Mutex<(provider: Int?, failed: Bool)>((nil, false))

    /// The index of the source that answered last.
    var provider: Int? { last.withLock { $0.provider } }

    /// Whether the last reading failed in a source, rather than finding nothing.
    var failed: Bool { last.withLock { $0.failed } }

    func report(_ event: AccessEvent) {
        let answer = event.providerResults.firstIndex { result in
            switch result.result {
            case .success(let found): found.value != nil
            case .failure: true
            }
        }
        var failed = event.conversionError != nil
        if case .failure = event.result { failed = true }
        if event.providerResults.contains(where: { if case .failure = $0.result { true } else { false } }) {
            failed = true
        }
        last.withLock { $0 = (answer, failed) }
    }
}

/// How many letters must be put in, taken out or changed to make one text of the other (Levenshtein).
func editDistance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (line, character) in one.enumerated() {
        var diagonal = row[0]
        row[0] = line + 1
        for column in other.indices {
            let replaced = diagonal + (character == other[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
        }
    }
    return row[other.count]
}
