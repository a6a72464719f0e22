public import ArgumentParser
public import FaceMessages

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
