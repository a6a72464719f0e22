import ArgumentParser
import DaemonCore
import Foundation

/// The command `facetd`: parses its options and runs the daemon.
struct Facetd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facetd",
        abstract: "Turns a camera into face metadata, published over MQTT.",
        discussion: """
            Watches a camera, a clip or a stream, follows the faces in it, and publishes what changed: metadata on \
            faces/metadata, and enter, leave, smile, blink, eyes_closed and look as events. No picture leaves the \
            process unless preview.enabled says so.

            Settings come from the command line, then the environment (camera.size is FACET_CAMERA_SIZE), then the \
            file. Every key is documented in config/facetd.yaml; --set reaches those that have no option.
            The password for the broker comes from mqtt.passwordFile or FACET_MQTT_PASSWORD, never from the command line.

            Examples:
              facetd                          the first camera, the broker on this machine
              facetd --source clip.mp4 --pace asap --no-mqtt --print > clip.jsonl
              facetd --config /etc/facetd.yaml --mqtt mqtts://lamp@broker.example
              facetd --check --config /etc/facetd.yaml

            Shell completions: facetd --generate-completion-script bash|zsh|fish
            """,
        version: facetBuild
    )

    @OptionGroup var options: SettingsOptions

    @Flag(name: .customLong("print"), help: "Write every message to standard output as one line of JSON.")
    var prints = false

    @Flag(
        help: """
            Publish metadata with each change of a face, whatever metadata.maxRate and the deadbands are: for facet record \
            and facet report.
            """
    )
    var everyChange = false

    @Flag(name: .customLong("no-mqtt"), help: "Use no broker.")
    var usesNoBroker = false

    @Flag(help: "Check the settings, report all problems at once, with exit status 1 if there are any, and end.")
    var check = false

    func run() async throws {
        // If the reader of --print's output goes away, a write fails, which ends the daemon in good order.
        signal(SIGPIPE, SIG_IGN)
        let settings = try self.settings()
        if check { return print("the settings are valid") }
        let level = Logger.Level(rawValue: settings.logLevel.rawValue) ?? .info
        LoggingSystem.bootstrap { _ in
            ConsoleLogHandler(level: level, environment: ProcessInfo.processInfo.environment)
        }
        let hasTerminal = isatty(STDERR_FILENO) == 1
        if hasTerminal, !usesNoBroker {
            Self.write(["In another terminal: facet watch shows events, facet serve a page."])
        }
        let logger = Logger(label: "facetd")
        if !usesNoBroker, options.mqtt == nil, settings.mqtt.connection.brokers == Settings().mqtt.connection.brokers {
            logger.info("no other broker is named: looking for one on this machine (--mqtt or mqtt.brokers names it)")
        }
        let daemon = try await Daemon(
            settings,
            prints: prints,
            usesBroker: !usesNoBroker,
            summarizes: hasTerminal,
            reload: self.settings,
            logger: logger
        )
        try await daemon.run { Self.write($0) }
    }

    @Sendable private func settings() throws -> Settings {
        var settings = try options.load()
        if everyChange { settings.metadata = .everyChange }
        return settings
    }

    fileprivate static func write(_ lines: [String], to file: FileHandle = .standardError) {
        // The terminal may be gone. The run ends in good order all the same.
        try? file.write(contentsOf: Data((lines.joined(separator: "\n").printableLines + "\n").utf8))
    }
}

/// The program's entry point. It refuses arguments that the parser would explain badly, then runs the command.
@main
enum Main {
    static func main() async {
        let arguments = Array(ProcessInfo.argumentNames.dropFirst())
        Secrets.learn(arguments: arguments, environment: ProcessInfo.variables)
        do {
            try check(arguments.first)
            var command = try Facetd.parseAsRoot(arguments.withPlainPaths)
            if let daemon = command as? Facetd { try await daemon.run() } else { try command.run() }
        } catch {
            // The parser's message quotes an argument that it refuses, which may contain a password.
            let text = Facetd.fullMessage(for: error).withoutSecrets
            let code = Facetd.exitCode(for: error)
            if !text.isEmpty { Facetd.write([text], to: code == .success ? .standardOutput : .standardError) }
            Facetd.exit(withError: code)
        }
    }

    /// Refuses unsuitable process limits and a wrong first argument, `word`, which would fail later with a bad message.
    private static func check(_ word: String?) throws {
        ProcessEnvironment.openStandardDescriptors()
        // This comes before anything needs a thread, because Dispatch waits for a thread's memory for ever.
        try ProcessEnvironment.checkLimits()
        if word == "check-config" { throw ValidationError("'check-config FILE' is now '--check --config FILE'") }
        if let word, !word.hasPrefix("-"), word != "help" {
            let hint = "a camera, a clip or a stream follows --source: facetd --source \(word)"
            throw ValidationError("there is no argument '\(word)'; \(hint)")
        }
    }
}
