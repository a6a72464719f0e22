/// One thing that is wrong with the settings.
public struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
    /// The dotted key, or nil if the problem is the file as a whole.
    public var key: String?
    /// Where the value came from: a file with a line, an environment variable, the command line.
    public var source: String
    /// What is wrong and what is expected instead.
    public var reason: String

    /// Makes a problem from the key it is about, where its value came from, and what is wrong.
    public init(key: String?, source: String, reason: String) {
        self.key = key
        self.source = source
        self.reason = reason
    }

    /// One line: source, key, reason.
    public var description: String {
        if let key { "\(source): \(key): \(reason)" } else { "\(source): \(reason)" }
    }
}

/// All that is wrong with the settings, told at once.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problems, in the order of the settings.
    public var problems: [SettingsProblem]

    /// Makes an error from at least one problem.
    public init(problems: [SettingsProblem]) {
        self.problems = problems
    }

    /// A line for each problem.
    public var description: String {
        let count = problems.count == 1 ? "one problem" : "\(problems.count) problems"
        return "the settings have \(count):\n" + problems.map { "  \($0)" }.joined(separator: "\n")
    }
}
