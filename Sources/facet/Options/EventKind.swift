import ArgumentParser
import FaceMessages

/// An event, as command lines name it.
enum EventKind: String, CaseIterable, ExpressibleByArgument {
    case enter
    case leave
    case smile
    case blink
    case eyesClosed = "eyes_closed"

    /// The event's topic.
    var topic: Topic {
        switch self {
        case .enter: .enter
        case .leave: .leave
        case .smile: .smile
        case .blink: .blink
        case .eyesClosed: .eyesClosed
        }
    }
}
