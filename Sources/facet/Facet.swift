import ArgumentParser
import FaceMessages
import FacetKit
import Foundation
import SettingsFiles

/// The companion of `facetd`: shows and uses what the daemon publishes about faces.
@main
struct Facet: AsyncParsableCommand {
    /// Runs the command; one that does not exist gets the name of the nearest that does.
    static func main() async {
        ProcessEnvironment.openStandardDescriptors()
        if let word = CommandLine.arguments.dropFirst().first, let name = suggestion(for: word) {
            StandardOutput.note("there is no command '\(word)'; did you mean '\(name)'?")
            exit(withError: ExitCode.validationFailure)
        }
        await main(nil)
    }

    /// The command that a word which is none may stand for; nil for a command's own name, for an option,
    /// and for a word that is like none.
    static func suggestion(for word: String) -> String? {
        var names = ["help"]
        for command in configuration.subcommands { names.append(command._commandName) }
        guard !word.hasPrefix("-"), !names.contains(word) else { return nil }
        return likelyName(for: word, among: names)
    }

    static let configuration = CommandConfiguration(
        commandName: "facet",
        abstract: "Shows and uses what facetd publishes about faces.",
        discussion: """
            Everything comes from the broker that facetd publishes to; pictures only if the daemon's owner switched \
            the preview on.

            Examples:
              facet watch                          events and faces as they come
              facet top                            each face with its last seconds, live
              facet view --look hearts             the live overlay, in the terminal
              facet serve                          the live page for the browser
              facet snapshot -o now.png            a picture with the overlay
              facet apply clip.mp4 -o out.mp4      a clip with the overlay; needs no daemon
              facet report clip.mp4 -o report.html a page about a clip or an hour
              facet press --on long_blink=ENTER    keys without hands
              facet doctor                         what works, what does not, and why

            Shell completions: facet --generate-completion-script bash|zsh|fish
            """,
        version: facetVersion,
        subcommands: [
            Watch.self, Top.self, View.self, Serve.self, Snapshot.self, Record.self, Apply.self, Report.self,
            Devices.self, Detect.self, Calibrate.self, Press.self, Doctor.self, Fleet.self, Metrics.self,
        ]
    )
}

/// Why a command cannot do its work: what was tried, on what, why it failed, what to do.
struct CommandFailure: Error, CustomStringConvertible {
    private let reasons: [String]
    /// What to do.
    private let remedy: String?

    /// Makes a failure from a paragraph for people, which may quote what a broker or a daemon said.
    init(_ reason: String, remedy: String? = nil) {
        (reasons, self.remedy) = ([reason.printable], remedy)
    }

    /// Makes a failure from several lines for people.
    init(lines: some Sequence<some StringProtocol>) {
        (reasons, remedy) = (lines.map(\.printable), nil)
    }

    var description: String { reasons.joined(separator: "\n") + (remedy.map { "; \($0)" } ?? "") }

    /// The failure as a finding of `facet doctor`.
    func finding(_ subject: String) -> Finding {
        .fails(subject, reasons.joined(separator: "\n"), remedy: remedy)
    }
}

/// The system's own words for an error of Foundation's, which wraps them in several layers.
struct SystemReason: CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        let outer = error as NSError
        let inner = outer.userInfo[NSUnderlyingErrorKey] as? NSError
        let code = [inner, outer].compactMap { $0 }.first { $0.domain == NSPOSIXErrorDomain }?.code
        if let code {
            description = String(cString: strerror(Int32(code)))
        } else if outer.domain == NSCocoaErrorDomain, outer.code == CocoaError.Code.fileReadNoSuchFile.rawValue {
            description = "there is no such file"
        } else {
            description = outer.localizedDescription
        }
    }
}
