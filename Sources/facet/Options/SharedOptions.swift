public import ArgumentParser
public import FaceMessages
public import OverlayRendering
public import TerminalPictures

/// How faces are drawn; the same for every command that draws.
struct OverlayOptions: ParsableArguments {
    @Option(help: "How faces are drawn; pixelate and blur hide them.")
    var look = LookName.box

    @Flag(help: "Mirror the picture left to right, as people expect of their own image.")
    var mirror = false
}

extension LookName: ExpressibleByArgument {}
extension VideoGravity: ExpressibleByArgument {}
extension TerminalFormat: ExpressibleByArgument {}

/// The event topics, as command lines name them.
extension Topic: ExpressibleByArgument {
    /// The event topic of that name; nil for any other text.
    public init?(argument: String) {
        guard let topic = Topic(rawValue: argument), topic.isEvent else { return nil }
        self = topic
    }

    /// The names that help and completions show.
    public static var allValueStrings: [String] { events.map(\.rawValue) }
}
