import ArgumentParser
import FaceMessages

/// What command lines call an event: its topic, or the kind of a sign.
struct EventName: Hashable, ExpressibleByArgument {
    let topic: Topic

    /// The kind of sign; nil for all that happens on the topic.
    let sign: FaceEvent.Sign?

    var name: String { sign?.rawValue ?? topic.rawValue }

    init(_ topic: Topic) {
        self.topic = topic
        sign = nil
    }

    init?(argument: String) {
        sign = FaceEvent.Sign(rawValue: argument)
        guard let topic = sign == nil ? Topic(rawValue: argument) : .sign, topic.isEvent else { return nil }
        self.topic = topic
    }

    static var allValueStrings: [String] {
        FaceEvent.Sign.allCases.map(\.rawValue) + Topic.events.map(\.rawValue)
    }

    func fits(_ kind: FaceEvent.Kind) -> Bool { Topic(kind) == topic && (sign.map { kind == .sign($0) } ?? true) }
}
