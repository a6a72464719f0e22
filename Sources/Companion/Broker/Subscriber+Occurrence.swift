package import FaceMessages
import Synchronization

extension Subscriber.Occurrence {
    /// The message that came, if it is one that can be read.
    package var decoded: DecodedMessage? {
        if case .message(let message) = self, case .decoded(let decoded) = message.content { decoded } else { nil }
    }
}

extension CameraState {
    /// Takes over what is known of the camera after an occurrence: nothing while the connection is interrupted.
    package mutating func take(_ occurrence: Subscriber.Occurrence) {
        if case .connection(let connection) = occurrence, connection.isInterrupted { _ = forget() }
        if let message = occurrence.decoded { _ = take(message) }
    }
}
