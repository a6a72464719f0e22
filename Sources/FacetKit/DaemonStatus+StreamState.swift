package import FaceMessages

extension DaemonStatus {
    /// Takes over how the source is, and forgets what held for the state before; what held at the end stays.
    package mutating func update(to new: StreamState) {
        attention = []
        guard new != .ended else { return state = .stopped }
        reason = nil
        detail = nil
        picture = nil
        switch new {
        case .starting: cameraState = .starting
        case .streaming(let stream):
            cameraState = .streaming
            detail = stream.summary
            picture = Picture(width: stream.uprightSize.width, height: stream.uprightSize.height)
        case .lost(let failure):
            cameraState = .lost
            reason = failure.reason.rawValue
            detail = failure.description
        case .paused, .ended: cameraState = .disabled
        }
    }
}
