import ArgumentParser
import Companion
import FaceMessages
import FacetKit
import Foundation
import SettingsFiles

/// The companion of `facetd`: shows and uses what the daemon publishes about faces.
@main
struct Facet: AsyncParsableCommand {
    /// Runs the command; for a command or a value that does not exist, the nearest that does is named.
    static func main() async {
        ProcessEnvironment.openStandardDescriptors()
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if let problem = RenamedWords.problem(in: arguments) ?? wrongCommand(in: arguments) { throw problem }
            var command = try parseAsRoot(arguments)
            try ProcessEnvironment.checkLimits()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            if let word = wrongWord(in: message(for: error)) { StandardOutput.note(word) }
            // The command line's own errors have other statuses.
            let isOurs = exitCode(for: error) == .failure && !(error is ExitCode)
            // The parser wraps what a check of the options throws.
            exit(withError: isOurs ? CommandFailure(lines: message(for: error).split(separator: "\n")) : error)
        }
    }

    /// What is wrong with the command's name, or with the one that `help` is asked for; nil if there is such a command, or
    /// an option in its place.
    static func wrongCommand(in arguments: [String]) -> ValidationError? {
        var names = ["help"]
        for command in configuration.subcommands { names.append(command._commandName) }
        let asked = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        guard let asked, !asked.hasPrefix("-"), !names.contains(asked) else { return nil }
        let hint = likelyName(for: asked, among: names).map { "; did you mean '\($0)'?" } ?? ""
        return ValidationError("there is no command '\(asked)'\(hint)")
    }

    /// What to say of a value that is none of those which the parser's message lists; nil if none of them is like it.
    static func wrongWord(in message: String) -> String? {
        guard message.hasPrefix("The value '"), let list = message.range(of: "Please provide one of") else {
            return nil
        }
        let words = message[list.upperBound...].matches(of: /'([^']+)'|- (\S+)/).compactMap { $0.1 ?? $0.2 }
        let value = message.dropFirst(11).prefix { $0 != "'" }
        return likelyName(for: String(value), among: words.map(String.init)).map {
            "there is no '\(value)'; did you mean '\($0)'?"
        }
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

            Shell completions: facet --generate-completion-script bash|zsh|fish
            """,
        version: facetVersion,
        groupedSubcommands: [
            CommandGroup(
                name: "See",
                subcommands: [Demo.self, Watch.self, Top.self, View.self, Serve.self, Fleet.self]
            ),
            CommandGroup(
                name: "Keep",
                subcommands: [Snapshot.self, Record.self, Apply.self, Report.self, OverlayList.self]
            ),
            CommandGroup(name: "Send", subcommands: [Webcam.self, Press.self, Relay.self]),
            CommandGroup(
                name: "Set up",
                subcommands: [Doctor.self, Devices.self, Detect.self, Zones.self, Calibrate.self]
            ),
        ]
    )
}
