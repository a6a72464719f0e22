public import FaceMessages
import FaceMetadata
public import Frames
public import Logging
import Synchronization

/// Keeps the daemon's condition, and tells whenever it changes: to subscribers, and with one line to the log.
public final class StatusBoard: Sendable {
    private let publisher: Publisher
    private let logger: Logger
    private let status: Mutex<DaemonStatus>

    /// Makes a board of a daemon that starts.
    public init(publisher: Publisher, version: String, isDetecting: Bool, logger: Logger) {
        self.publisher = publisher
        self.logger = logger
        status = Mutex(
            DaemonStatus(
                state: .online,
                cameraState: isDetecting ? .starting : .disabled,
                detect: isDetecting,
                version: version,
                attention: []
            )
        )
    }

    /// Publishes the condition as it is.
    public func announce() {
        update { _ in }
    }

    /// Frames come.
    public func cameraStreams(_ stream: StreamDescription) {
        let rate = stream.rate.map { " at \(($0 * 100).rounded() / 100) frames/s" } ?? ""
        let detail = "\(stream.name): \(stream.format) \(stream.size)\(rate)"
        logger.info("camera streaming", metadata: ["source": "\(detail)"])
        update { status in
            status.cameraState = .streaming
            status.reason = nil
            status.detail = detail
        }
    }

    /// No frames until further notice.
    public func cameraLost(_ failure: SourceFailure) {
        logger.warning("camera lost", metadata: ["reason": "\(failure.reason)", "detail": "\(failure)"])
        update { status in
            status.cameraState = .lost
            status.reason = failure.reason
            status.detail = failure.description
            status.attention = []
        }
    }

    /// Detection was switched.
    public func detection(isOn: Bool) {
        logger.info("detection switched", metadata: ["detect": isOn ? "ON" : "OFF"])
        update { status in
            status.detect = isOn
            status.cameraState = isOn ? .starting : .disabled
            status.reason = nil
            status.detail = nil
            status.attention = []
        }
        publisher.publishDetectState(isOn)
    }

    /// Why some events cannot fire.
    public func attention(_ attention: [DaemonStatus.Attention]) {
        update { $0.attention = attention }
    }

    /// The daemon ends in good order.
    public func stopped() {
        update { status in
            status.state = .stopped
            status.attention = []
        }
    }

    private func update(_ change: (inout DaemonStatus) -> Void) {
        // Published with the lock held, so that two changes cannot overtake each other.
        status.withLock { status in
            let old = status
            change(&status)
            guard status != old || status.time == nil else { return }
            status.time = .wallClock()
            publisher.publish(status)
        }
    }
}
