/// The name of an event on command lines: its topic, or the kind of a sign.
package struct EventName: Hashable, Sendable {
    package let topic: Topic
    /// The kind of sign; nil for all events on the topic.
    package private(set) var sign: FaceEvent.Sign?
    package var name: String { sign?.rawValue ?? topic.rawValue }

    package init(_ topic: Topic) { self.topic = topic }

    package init?(argument: String) {
        sign = FaceEvent.Sign(rawValue: argument)
        guard let topic = sign == nil ? Topic(rawValue: argument) : .sign, topic.isEvent else { return nil }
        self.topic = topic
    }

    package static var allValueStrings: [String] {
        FaceEvent.Sign.allCases.map(\.rawValue) + Topic.events.map(\.rawValue)
    }

    package func fits(_ kind: FaceEvent.Kind) -> Bool {
        Topic(kind) == topic && (sign.map { kind == .sign($0) } ?? true)
    }
}
