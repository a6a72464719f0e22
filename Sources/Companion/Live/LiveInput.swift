import FaceMessages
import Synchronization
import System

/// What a command that follows a daemon reacts to, and since when it has waited.
package struct LiveInput: Sendable {
    package enum Content: Sendable {
        case occurrence(Subscriber.Occurrence)
        case key(UInt8)
        case tick
        /// A signal: the command is to end in good order.
        case interrupted
    }

    package var content: Content
    /// When it came, in seconds since the command began to listen: however long it had to wait for its reader.
    package var seconds: Double
    /// How the connection is, in words.
    package var connection = ""
    /// What there is to say to the person at the terminal.
    package var note: String?
    /// Whether nothing waited behind it.
    package var isLast = false
    /// How many messages were dropped so far.
    package var dropped = 0
}

extension LiveInput {
    /// What it takes of the backlog.
    var amounts: LiveBacklog.Amounts {
        switch content {
        case .occurrence(.message(let message)):
            if case .picture(let picture) = message.content, case .frame = picture.content { return [1, 1, 0, 0] }
            return [1, 0, message.payload.count, 0]
        case .tick: return [0, 0, 0, 1]
        case .occurrence, .key, .interrupted: return .zero
        }
    }
}
