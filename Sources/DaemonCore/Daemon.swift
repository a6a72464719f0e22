import FaceMessages
import FaceMetadata
import FaceSession
import Frames
package import Logging
import MQTT
import ServiceLifecycle
import UnixSignals

/// The whole daemon: what one run of `facetd` does.
package struct Daemon: Sendable {
    private let logger: Logger
    private let camera: SessionService
    private let stats: StatsService
    private let broker: BrokerService?
    private let meter: SessionMeter
    private let reload: ReloadService?
    private let watchdog: WatchdogService?
    private let summary: RunSummary?
    private let summarize: (@Sendable ([String]) -> Void)?

    /// What a run is made of besides the settings.
    package struct Options: Sendable {
        /// Whether every message is written to standard output.
        package var prints = false
        /// Whether messages go to a broker.
        package var usesBroker = true
        /// Called at the end with a summary of what was seen, a line for each face; nil for none.
        package var summarize: (@Sendable ([String]) -> Void)?
        /// The environment, for the password, the outbox's place and the service manager.
        package var environment: [String: String] = [:]
        /// Reads the settings again, on SIGHUP; nil ignores that signal.
        package var reload: (@Sendable () throws -> Settings)?

        /// Makes the default options.
        package init() {}
    }

    /// Puts the parts together; nothing runs yet.
    ///
    /// - Throws: An error that says which setting cannot work and why.
    package init(settings: Settings, options: Options, logger: Logger) throws {
        let asSet = settings
        var settings = settings
        let encoder = MessageEncoder(camera: settings.camera.name, boot: ULID.make(at: .wallClock()))
        var sinks: [any MessageSink] = []
        var ledger: any Ledger = MemoryLedger()
        var connection: BrokerConnection?
        var brokerSink: BrokerSink?
        var homeAssistant: HomeAssistantAnnouncer?
        var memory: DetectionMemory?
        var outbox: SQLiteEventStore?
        if options.usesBroker {
            let path = settings.outbox.file(topic: settings.mqtt.topic, environment: options.environment)
            let store: SQLiteEventStore
            do { store = try SQLiteEventStore(path: path, logger: logger) } catch { throw OutboxError(error) }
            outbox = store
            let connected = try BrokerConnection(
                settings: try settings.mqtt.brokerSettings(encoder: encoder, environment: options.environment),
                rules: DeliveryRules(maximumAge: settings.events.maxAge, capacity: settings.outbox.capacity),
                store: store,
                logger: logger
            )
            let sink = BrokerSink(connection: connected, base: settings.mqtt.topic)
            sinks.append(sink)
            brokerSink = sink
            ledger = StoreLedger(store: store)
            connection = connected
            homeAssistant = HomeAssistantAnnouncer(settings: settings, store: store, logger: logger)
            let kept = DetectionMemory(in: store, isKept: settings.detection.remember)
            if let isOn = kept.isOn, isOn != settings.detection.enabled {
                logger.info("detection stays as it was last switched", metadata: ["detect": isOn ? "ON" : "OFF"])
                settings.detection.enabled = isOn
            }
            memory = kept
        }
        // Before anything is published: a clip that is missing is a mistake on the command line.
        let session = try FaceSession(
            source: settings.source,
            options: settings.sessionOptions,
            firstFaceID: ledger.nextFaceID()
        )
        // After the broker's, which writes events to the outbox: what is printed has its number for good, even if the
        // daemon is killed right then.
        let print = options.prints ? PrintSink(base: settings.mqtt.topic) : nil
        if let print { sinks.append(print) }
        let summary = options.summarize.map { _ in RunSummary() }
        if let summary { sinks.append(summary) }
        let publisher = try Publisher(encoder: encoder, wanted: settings.publish, ledger: ledger, sinks: sinks)
        let manager = ServiceManager(environment: options.environment)
        let status = StatusBoard(
            publisher: publisher,
            manager: manager,
            version: facetVersion,
            isDetecting: settings.detection.enabled,
            outbox: outbox?.condition,
            logger: logger
        )
        status.announce()
        if let brokerSink {
            // Nobody is there until a frame says so: what a run that died left retained must not outlive it. After the
            // status, by which subscribers know that nothing is being looked at yet.
            publisher.publishEmptySet(only: brokerSink)
        }
        let camera = SessionService(
            settings: asSet,
            isOn: settings.detection.enabled,
            session: session,
            publisher: publisher,
            status: status,
            onEnd: { print?.beginEnding() },
            logger: logger
        )
        print?.onFailure { camera.end($0.isGoneReader ? nil : $0) }
        self.logger = logger
        self.camera = camera
        self.summary = summary
        summarize = options.summarize
        let meter = session.meter
        self.meter = meter
        reload = options.reload.map { load in
            ReloadService(running: asSet, load: load, apply: { camera.apply($0) }, logger: logger)
        }
        watchdog = manager.flatMap { manager in
            manager.watchdogInterval.map { interval in
                WatchdogService(manager: manager, interval: interval, meter: meter, logger: logger)
            }
        }
        stats = StatsService(interval: settings.stats.interval, meter: meter, publisher: publisher) {
            [connection, outbox] in
            var messages = connection.map { DaemonStats.Messages($0.counters) } ?? DaemonStats.Messages()
            messages.outbox = outbox.flatMap { DaemonStatus.Outbox($0.condition) }
            return messages
        }
        broker = connection.flatMap { connection in
            guard let homeAssistant, let memory, let outbox else { return nil }
            return BrokerService(
                connection: connection,
                outbox: outbox,
                status: status,
                base: settings.mqtt.topic,
                setDetection: { camera.setDetection($0) },
                memory: memory,
                // Not sooner: an event that waits for long is never sent, but this one switches a lamp off.
                onFirstConnection: { publisher.publishLeavesOfLastRun() },
                homeAssistant: homeAssistant,
                logger: logger
            )
        }
    }

    /// Runs until a clip has ended, SIGTERM or SIGINT comes, or something fails.
    ///
    /// - Throws: What failed; everything else has ended in good order by then.
    package func run() async throws {
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let broker { services.append(.init(service: broker)) }
        services.append(.init(service: stats))
        if let reload { services.append(.init(service: reload)) }
        if let watchdog { services.append(.init(service: watchdog)) }
        services.append(
            .init(
                service: camera,
                successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup
            )
        )
        var quiet = logger
        quiet.logLevel = .error
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services,
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: quiet
            )
        )
        defer { logFrames() }
        try await group.run()
    }

    private func logFrames() {
        let frames = meter.counts
        var metadata: Logger.Metadata = ["captured": "\(frames.captured)", "analysed": "\(frames.analysed)"]
        for (reason, count) in frames.droppedByName { metadata["dropped_\(reason)"] = "\(count)" }
        logger.info("stopped", metadata: metadata)
        if let summary { summarize?(summary.lines(frames: frames.analysed)) }
    }
}

/// The outbox belongs to another process.
struct OutboxError: Error, CustomStringConvertible {
    let description: String

    init(_ error: OutboxInUse) {
        description =
            "\(error), which would send the same events: end that process, or give this daemon its own outbox.path"
    }
}

extension DaemonStats.Messages {
    init(_ counters: DeliveryCounters) {
        self.init()
        sent = counters.sent
        queued = counters.queuedEvents
        expired = counters.expired
        unsafe = counters.unsafeEvents
        for (reason, count) in counters.dropped where reason != .expired && count > 0 {
            dropped[reason.rawValue] = count
        }
    }
}
