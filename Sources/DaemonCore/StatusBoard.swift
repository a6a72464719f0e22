import FaceMessages
package import FaceMetadata
package import Frames
package import Logging
package import MQTT
import Synchronization

/// Keeps the daemon's condition, and reports each change: to subscribers, to the service manager, and with one line to
/// the log.
package final class StatusBoard: Sendable {
    private let publisher: Publisher
    private let manager: ServiceManager?
    private let logger: Logger
    private let status: Mutex<DaemonStatus>

    /// Makes a board of a daemon that starts.
    package init(
        publisher: Publisher,
        manager: ServiceManager? = nil,
        version: String,
        isDetecting: Bool,
        outbox: StoreCondition? = nil,
        logger: Logger
    ) {
        self.publisher = publisher
        self.manager = manager
        self.logger = logger
        status = Mutex(
            DaemonStatus(
                state: .online,
                cameraState: isDetecting ? .starting : .disabled,
                detect: isDetecting,
                version: version,
                attention: [],
                outbox: outbox.flatMap(DaemonStatus.Outbox.init),
                outboxDetail: outbox?.detail
            )
        )
    }

    /// Publishes the condition as it is.
    package func announce() {
        update { _ in }
    }

    /// The models are loaded, or not wanted for now: from here on the daemon does what it is there for.
    func ready() {
        manager?.ready()
    }

    /// The camera is being opened again.
    package func cameraStarts() {
        update { status in
            status.cameraState = .starting
            status.reason = nil
            status.detail = nil
            status.attention = []
        }
    }

    /// Frames come.
    package func cameraStreams(_ stream: StreamDescription) {
        let detail = stream.summary
        logger.info("camera streaming", metadata: ["source": "\(detail)"])
        update { status in
            status.cameraState = .streaming
            status.reason = nil
            status.detail = detail
            status.attention = []
        }
    }

    /// No frames until further notice.
    package func cameraLost(_ failure: SourceFailure) {
        logger.warning("camera lost", metadata: ["reason": "\(failure.reason)", "detail": "\(failure)"])
        update { status in
            status.cameraState = .lost
            status.reason = failure.reason
            status.detail = failure.description
            status.attention = []
        }
    }

    /// Detection was switched.
    package func detection(isOn: Bool) {
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
    package func attention(_ attention: [FaceAttention]) {
        update { $0.attention = attention }
    }

    /// The daemon is connected to a broker.
    func connected(to broker: String) {
        update { $0.broker = broker }
    }

    /// Whether events survive a crash changed.
    func outbox(_ condition: StoreCondition) {
        update { status in
            status.outbox = DaemonStatus.Outbox(condition)
            status.outboxDetail = condition.detail
        }
    }

    /// The daemon ends in good order.
    package func stopped() {
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
            manager?.report(status)
        }
    }
}

extension DaemonStatus.Outbox {
    init?(_ condition: StoreCondition) {
        self.init(rawValue: condition.state.rawValue)
    }
}

extension ServiceManager {
    /// Reports the daemon's condition.
    fileprivate func report(_ condition: DaemonStatus) {
        if condition.state == .stopped { stopping() }
        let camera = condition.cameraState.map { "camera \($0.rawValue)" } ?? condition.state.rawValue
        status(condition.detail.map { "\(camera): \($0)" } ?? camera)
    }
}
