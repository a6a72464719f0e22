import ArgumentParser
import FaceMessages

/// The companion of `facetd`: shows and uses what the daemon tells about faces.
@main
struct Facet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facet",
        abstract: "Shows and uses what facetd tells about faces.",
        discussion: """
            Everything comes from the broker that facetd publishes to; pictures only if the daemon's owner switched \
            the preview on.

            Examples:
              facet watch                          events and faces as they come
              facet view --look hearts             the live overlay, in the terminal
              facet serve                          the live page for the browser
              facet snapshot -o now.png            a picture with the overlay
              facet doctor                         what works, what does not, and why

            Shell completions: facet --generate-completion-script bash|zsh|fish
            """,
        version: facetVersion,
        subcommands: [
            Watch.self, View.self, Serve.self, Snapshot.self, Record.self, Devices.self, Detect.self, Doctor.self,
            Metrics.self,
        ]
    )
}
