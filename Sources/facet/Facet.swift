/// The command `facet`, the companion of `facetd`: shows and uses what the daemon publishes about faces.
@main
struct Facet: AsyncParsableCommand {
    /// Runs the command. For an unknown command or option, the error suggests the most similar one.
    static func main() async {
        ProcessEnvironment.openStandardDescriptors()
        // If the reader of the notes on standard error goes away, the work goes on. For output, see `Console.write`.
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(ProcessInfo.argumentNames.dropFirst()).withPlainPaths
        Secrets.learn(arguments: arguments, environment: ProcessInfo.variables)
        do {
            if arguments == ["help", "broker"] { return print(BrokerHelp.helpMessage(includeHidden: true)) }
            if let problem = renamedWord(in: arguments) ?? wrongCommand(in: arguments) { end(with: problem) }
            var command = try parseAsRoot(arguments)
            try ProcessEnvironment.checkLimits()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // The parser may have taken the value of a misspelled option for an argument, and complains about that.
            let isParsing = exitCode(for: error) == .validationFailure
            if isParsing, let option = unknownOption(in: arguments) { end(with: option) }
            // Errors in the command line have other exit codes.
            let isOurs = exitCode(for: error) == .failure && !(error is ExitCode)
            // The parser wraps the errors that the validation of options throws.
            end(with: isOurs ? CommandFailure(lines: message(for: error).split(separator: "\n")) : error)
        }
    }

    /// Prints an error as the argument parser would, but with secrets masked, and exits with the error's exit code.
    private static func end(with error: any Error) -> Never {
        let text = fullMessage(for: error).withoutSecrets.printableLines
        let code = exitCode(for: error)
        if !text.isEmpty {
            Console.write(Array((text + "\n").utf8), to: code == .success ? STDOUT_FILENO : STDERR_FILENO)
        }
        exit(withError: code)
    }

    /// The error for an unknown command, which may suggest a similar one; nil if the command exists.
    static func wrongCommand(in arguments: [String]) -> ValidationError? {
        let names = ["help", "broker"] + configuration.subcommands.map { $0._commandName }
        let asked = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        guard let asked, !asked.hasPrefix("-"), !names.contains(asked) else { return nil }
        let hint = likelyName(for: asked, among: names).map { "; did you mean '\($0)'?" } ?? ""
        return ValidationError("there is no command '\(asked)'\(hint)")
    }

    /// The error for the first option that the command does not have, with a similar option; nil if all are known.
    static func unknownOption(in arguments: [String]) -> ValidationError? {
        guard let command = configuration.subcommands.first(where: { $0._commandName == arguments.first }) else {
            return nil
        }
        let help = helpMessage(for: command, includeHidden: true, columns: 1000)
        let options = help.matches(of: /\n +(?:-\w, )?--([a-z-]+)(?:\/--([a-z-]+))?/)
        let known = options.flatMap { [String($0.1), String($0.2 ?? "help")] }
        let words = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
        let names = words.map { String($0.dropFirst(2).prefix { $0 != "=" }) }
        guard let unknown = names.first(where: { !known.contains($0) }) else { return nil }
        let hint = likelyName(for: unknown, among: known).map { "; did you mean '--\($0)'?" } ?? ""
        return ValidationError("'facet \(command._commandName)' has no option '--\(unknown)'\(hint)")
    }

    /// The commands and options that had another name before version 0.4. An empty command means all commands.
    private static let renamed = [
        ("looks", "", "overlays"), ("mirror", "", "webcam"), ("metrics", "", "fleet --prometheus FILE"),
        ("", "--look", "--overlay"), ("watch", "--only", "watch smile leave"), ("watch", "--verbose", "--faces"),
        ("watch", "-v", "--faces"), ("press", "--on", "press long_blink=ENTER"), ("view", "--gravity", "--fit"),
    ]

    /// The error about the first renamed command or option, with its new name; nil if there is none.
    static func renamedWord(in arguments: [String]) -> ValidationError? {
        guard let command = arguments.first(where: { $0 != "help" }) else { return nil }
        let words = arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
        if command == "calibrate", words.contains("--eyes") {
            return ValidationError("'--eyes' is gone: 'facet watch sign' prints which blinks on purpose are recognised")
        }
        for (owner, option, new) in renamed where ["", command].contains(owner) {
            if option.isEmpty { return ValidationError("'facet \(command)' is now 'facet \(new)'") }
            if words.contains(option[...]) { return ValidationError("'\(option)' is now '\(new)'") }
        }
        return nil
    }

    static let configuration = CommandConfiguration(
        commandName: "facet",
        abstract: "Shows and uses what facetd publishes about faces.",
        discussion: """
            Everything comes from the broker that facetd publishes to; pictures only if the daemon's owner switched \
            the preview on.

            Examples:
              facet demo                           all of it at work, on a clip
              facet watch                          events and faces as they come
              facet top                            each face with its last seconds, live
              facet view --overlay hearts          the live overlay, in the terminal
              facet serve                          the live page for the browser
              facet snapshot -o now.png            a picture with the overlay
              facet webcam --to /dev/video20       a camera with the overlay, for calls
              facet apply clip.mp4 -o out.mp4      a clip with the overlay; needs no daemon
              facet report clip.mp4 -o report.html a page about a clip or an hour
              facet press long_blink=ENTER         keys without hands
              facet doctor                         what works, what does not, and why

            The broker's options, which most commands take: facet help broker

            Shell completions: facet --generate-completion-script bash|zsh|fish
            """,
        version: facetBuild,
        groupedSubcommands: [
            .init(name: "See", subcommands: [Demo.self, Watch.self, Top.self, View.self, Serve.self, Fleet.self]),
            .init(name: "Keep", subcommands: [Snapshot.self, Record.self, Apply.self, Report.self, OverlayList.self]),
            .init(name: "Send", subcommands: [Webcam.self, Press.self, Relay.self]),
            .init(name: "Set up", subcommands: [Doctor.self, Devices.self, Detect.self, Zones.self, Calibrate.self]),
        ]
    )
}
