/// Keeps the status of the daemon and its camera, and reports changes to subscribers, service manager and log.
package final class StatusReporter: Sendable {
    let publisher: Publisher
    private let manager: ServiceManager?
    private let logger: Logger
    private let producer: Mutex<MessageProducer>

    package init(publisher: Publisher, manager: ServiceManager? = nil, isDetecting: Bool, logger: Logger) {
        (self.publisher, self.manager, self.logger) = (publisher, manager, logger)
        producer = Mutex(MessageProducer(publisher.origin, isDetecting: isDetecting))
    }

    /// Publishes the status for the first time.
    package func announce(_ outbox: StoreCondition? = nil, settings: Settings = Settings()) {
        change {
            $0.take(outbox)
            $0.statsInterval = settings.statsInterval / .seconds(1)
            take(settings, into: &$0)
        }
    }

    private func take(_ settings: Settings, into status: inout DaemonStatus) {
        var settings = settings
        // A change of the published topics needs a restart.
        settings.publish = publisher.wanted
        status.smile = settings.tracking.smile
        status.publish = (Topic.selectable + [.previewJPEG]).filter(settings.publishes)
    }

    /// Reports to the service manager that the daemon is working: the models are loaded, or detection is off.
    func ready() { manager?.ready() }

    /// Publishes the content of an update except its events and its picture.
    package func publish(_ update: FaceUpdate) {
        let values = producer.withLock { producer in
            let state = producer.state
            let wasDetecting = producer.status.detect
            send(producer.conditions(of: update))
            if producer.status.detect != wasDetecting {
                logger.info("detection switched", metadata: ["detect": update.state == .paused ? "OFF" : "ON"])
            }
            if update.state != state { log(update.state) }
            return producer.values(of: update)
        }
        for value in values { publisher.publish(value) }
    }

    private func log(_ state: StreamState) {
        switch state {
        case .streaming(let stream): logger.info("camera streaming", metadata: ["source": "\(stream.summary)"])
        case .lost(let failure):
            logger.warning("camera lost", metadata: ["reason": "\(failure.reason)", "detail": "\(failure)"])
        case .starting, .paused, .ended: break
        }
    }

    /// Applies the metadata fields, deadbands, zones and smile settings of `settings` from now on.
    func use(_ settings: Settings) {
        let smile = settings.tracking.smile
        let before = producer.withLock { producer in
            producer.use(settings.metadata, zones: settings.tracking.zones)
            return producer.status.smile
        }
        if smile != before {
            let metadata: Logger.Metadata = ["level": "\(smile.level)", "hold": "\(smile.hold) s"]
            logger.info("what counts as a smile was changed", metadata: metadata)
        }
        change { take(settings, into: &$0) }
    }

    func connected(to broker: String) { change { $0.broker = broker } }

    /// Publishes the outbox's condition, which tells whether events survive a crash, if it has changed.
    func outbox(_ condition: StoreCondition) { change { $0.take(condition) } }

    private func change(_ edit: (inout DaemonStatus) -> Void) { producer.withLock { send($0.change(edit)) } }

    /// Publishes messages. The caller must hold the lock, so that changes are published in their order.
    private func send(_ messages: [DaemonMessage]) {
        for message in messages {
            publisher.publish(message, waits: false)
            if case .status(let status, _) = message { manager?.report(status) }
        }
    }
}

extension DaemonStatus {
    fileprivate mutating func take(_ condition: StoreCondition?) {
        outbox = condition.flatMap(Outbox.init)
        outboxDetail = condition?.detail
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
