/// An event's name on command lines: a topic, such as `smile`, or a sign (a gesture of eyes or head), such as `nod`.
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
