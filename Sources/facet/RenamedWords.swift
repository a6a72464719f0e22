import ArgumentParser

/// The words of command lines that had another name before version 0.4.
enum RenamedWords {
    private static let commands = ["looks": "overlays"]

    /// By the command that they belong to; all of them where that is empty.
    private static let options = [(command: "", old: "--look", new: "--overlay")]

    /// What is to be written instead of the first old word; nil if there is none.
    static func problem(in arguments: [String]) -> ValidationError? {
        guard let command = arguments.first(where: { $0 != "help" }) else { return nil }
        if let new = commands[command] { return ValidationError("'facet \(command)' is now 'facet \(new)'") }
        let words = arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
        let renamed = options.first { ["", command].contains($0.command) && words.contains($0.old[...]) }
        return renamed.map { ValidationError("'\($0.old)' is now '\($0.new)'") }
    }
}
