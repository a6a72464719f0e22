import FaceMessages
package import FacetKit
package import Logging
package import MQTT
import Synchronization

/// Keeps the daemon's condition, and reports each change: to subscribers, to the service manager, and with one line to
/// the log.
package final class StatusReporter: Sendable {
    let publisher: Publisher
    private let manager: ServiceManager?
    private let logger: Logger
    private let status: Mutex<DaemonStatus>

    package init(
        publisher: Publisher,
        manager: ServiceManager? = nil,
        isDetecting: Bool,
        smile: SmileSettings = SmileSettings(),
        outbox: StoreCondition? = nil,
        logger: Logger
    ) {
        (self.publisher, self.manager, self.logger) = (publisher, manager, logger)
        var status = DaemonStatus(state: .online, cameraState: isDetecting ? .starting : .disabled)
        status.detect = isDetecting
        status.smile = smile
        status.version = facetVersion
        status.attention = []
        status.outbox = outbox.flatMap(DaemonStatus.Outbox.init)
        status.outboxDetail = outbox?.detail
        self.status = Mutex(status)
    }

    /// Whether detection is reported as on.
    var isDetecting: Bool { status.withLock { $0.detect == true } }

    package func announce() { update { _ in } }

    /// The models are loaded, or not wanted for now: from here on the daemon does what it is there for.
    func ready() { manager?.ready() }

    package func camera(_ state: StreamState) {
        switch state {
        case .streaming(let stream): logger.info("camera streaming", metadata: ["source": "\(stream.summary)"])
        case .lost(let failure):
            logger.warning("camera lost", metadata: ["reason": "\(failure.reason)", "detail": "\(failure)"])
        case .starting, .paused, .ended: break
        }
        update { $0.update(to: state) }
    }

    package func detection(isOn: Bool) {
        logger.info("detection switched", metadata: ["detect": isOn ? "ON" : "OFF"])
        update { status in
            status.detect = isOn
            status.update(to: isOn ? .starting : .paused)
        }
        publisher.publish(.detectState, waits: false) { $0.detectState(isOn) }
    }

    package func faces(held: Int, _ attention: [FaceAttention]) {
        update { status in
            status.held = held
            status.attention = attention
        }
    }

    /// What counts as a smile, by a command or by settings that were read again.
    func smile(_ settings: SmileSettings) {
        if status.withLock({ $0.smile != settings }) {
            let metadata: Logger.Metadata = ["level": "\(settings.level)", "hold": "\(settings.hold) s"]
            logger.info("what counts as a smile was changed", metadata: metadata)
        }
        update { $0.smile = settings }
    }

    func connected(to broker: String) { update { $0.broker = broker } }

    /// Whether events survive a crash changed.
    func outbox(_ condition: StoreCondition) {
        update { status in
            status.outbox = DaemonStatus.Outbox(condition)
            status.outboxDetail = condition.detail
        }
    }

    private func update(_ change: (inout DaemonStatus) -> Void) {
        // Published with the lock held, so that two changes cannot overtake each other.
        status.withLock { status in
            let old = status
            change(&status)
            guard status != old || status.time == nil else { return }
            status.time = .wallClock()
            publisher.publish(.status, waits: false) { [status] in $0.status(status) }
            manager?.report(status)
        }
    }
}

extension DaemonStatus.Outbox {
    init?(_ condition: StoreCondition) { self.init(rawValue: condition.state.rawValue) }
}

extension ServiceManager {
    fileprivate func report(_ condition: DaemonStatus) {
        if condition.state == .stopped { stopping() }
        let camera = condition.cameraState.map { "camera \($0.rawValue)" } ?? condition.state.rawValue
        status(condition.detail.map { "\(camera): \($0)" } ?? camera)
    }
}
