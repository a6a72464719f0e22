import ArgumentParser

/// The words of command lines that had another name before version 0.4.
enum RenamedWords {
    private static let commands = ["looks": "overlays", "mirror": "webcam", "metrics": "fleet --prometheus FILE"]

    /// By the command that they belong to; all of them where that is empty.
    private static let options = [
        (command: "", old: "--look", new: "--overlay"),
        (command: "watch", old: "--only", new: "watch smile leave"),
        (command: "watch", old: "--verbose", new: "--faces"),
        (command: "watch", old: "-v", new: "--faces"),
        (command: "press", old: "--on", new: "press long_blink=ENTER"),
    ]

    /// What is to be written instead of the first old word; nil if there is none.
    static func problem(in arguments: [String]) -> ValidationError? {
        guard let command = arguments.first(where: { $0 != "help" }) else { return nil }
        if let new = commands[command] { return ValidationError("'facet \(command)' is now 'facet \(new)'") }
        let words = arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
        let renamed = options.first { ["", command].contains($0.command) && words.contains($0.old[...]) }
        return renamed.map { ValidationError("'\($0.old)' is now '\($0.new)'") }
    }
}
