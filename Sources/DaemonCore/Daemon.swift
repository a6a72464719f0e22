import Foundation
import UnixSignals

/// The `facetd` daemon: the camera session, the broker and the other services, connected with each other.
package struct Daemon {
    private let settings: Settings
    private let reload: @Sendable () throws -> Settings
    private let logger: Logger
    private let hangUps: HangUpSignals
    private let delivery: Delivery?
    private let print: PrintSink?
    private let summary: RunSummary?
    private let publisher: Publisher
    private let manager: ServiceManager?
    private let status: StatusReporter
    private let session: FaceSession
    private let camera: SessionService

    /// Makes all parts of the daemon, and publishes its first messages to the outbox and to standard output.
    ///
    /// `prints` says whether every message is written to standard output, `usesBroker` whether messages go to a broker,
    /// `summarizes` whether a summary of all faces is gathered. `reload` reads the settings again. Throws an error that
    /// says which setting cannot work and why.
    package init(
        _ settings: Settings,
        prints: Bool,
        usesBroker: Bool,
        summarizes: Bool,
        reload: @escaping @Sendable () throws -> Settings,
        logger: Logger
    ) async throws {
        self.settings = settings
        self.reload = reload
        self.logger = logger
        // First of all: an unhandled SIGHUP would end the process.
        hangUps = await HangUpSignals()
        // Needed for the password, the outbox's path and the service manager.
        let environment = ProcessInfo.variables
        let origin = MessageOrigin(camera: settings.camera.name, boot: ULID.make(at: .wallClock()))
        let delivery =
            usesBroker ? try Delivery(settings, origin: origin, environment: environment, logger: logger) : nil
        let ledger = delivery?.ledger ?? Ledger()
        // Made before anything is published: a missing clip is a mistake on the command line.
        session = try await FaceSession(
            source: settings.source,
            options: settings.sessionOptions,
            firstFaceID: ledger.nextFaceID()
        )
        // The print sink comes after the broker's, which writes events to the outbox: a printed event keeps its number
        // even if the daemon is killed at that moment.
        let print = prints ? PrintSink(base: settings.mqtt.topic) : nil
        summary = summarizes ? RunSummary() : nil
        let sinks = ([delivery?.sink, print, summary] as [(any MessageSink)?]).compactMap(\.self)
        publisher = try Publisher(origin: origin, wanted: settings.publish, ledger: ledger, sinks: sinks)
        manager = ServiceManager(environment: environment)
        let isDetecting = ledger.lastSwitch ?? settings.detection.enabled
        status = StatusReporter(publisher: publisher, manager: manager, isDetecting: isDetecting, logger: logger)
        camera = SessionService(
            settings: settings,
            isOn: isDetecting,
            session: session,
            status: status,
            onChange: { delivery?.homeAssistant.use($0) },
            onEnd: { print?.beginEnding() },
            logger: logger
        )
        self.delivery = delivery
        self.print = print
        publishStart()
    }

    private func publishStart() {
        status.announce(delivery?.outbox.condition, settings: settings)
        // Replaces what a killed run left retained, since no face is known yet. Published after the status, which tells
        // subscribers that no frame has been analysed.
        if let delivery { publisher.publishEmptySet(settings.tracking.zones, only: delivery.sink) }
        publisher.publishToday(always: true)
    }

    /// Runs the daemon until its clip ends, SIGTERM or SIGINT arrives, its terminal closes, or a service fails.
    /// `summarize` is called at the end with the lines of a summary of all faces, if there is one.
    /// - Throws: The error that ended the run, after all services have shut down.
    package func run(summarize: ([String]) -> Void) async throws {
        print?.onFailure { [logger, camera] error in
            if error.isGoneReader { logger.info("the reader of what is printed has gone") }
            camera.end(error.isGoneReader ? nil : error)
        }
        defer {
            let frames = session.meter.counts
            var metadata: Logger.Metadata = ["captured": "\(frames.captured)", "analysed": "\(frames.analysed)"]
            for (reason, count) in frames.droppedByName { metadata["dropped_\(reason)"] = "\(count)" }
            logger.info("stopped", metadata: metadata)
            if let summary { summarize(summary.lines(frames: frames.analysed)) }
        }
        var quiet = logger
        quiet.logLevel = .error
        let ends = [UnixSignal.sigterm, .sigint]
        let group = ServiceGroupConfiguration(services: services, gracefulShutdownSignals: ends, logger: quiet)
        try await ServiceGroup(configuration: group).run()
    }

    // MARK: - The services

    /// The services in the order in which they start. They end in the opposite order.
    private var services: [ServiceGroupConfiguration.ServiceConfiguration] {
        // Without these names the group would build some from all that the services contain, which takes 8 ms.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let delivery {
            let base = settings.mqtt.topic
            let broker = BrokerService(delivery: delivery, camera: camera, status: status, base: base, logger: logger)
            services.append(.init(service: broker, serviceName: "broker"))
        }
        services += [.init(service: statistics, serviceName: "stats"), .init(service: day, serviceName: "day")]
        let reloading = ReloadService(
            signals: hangUps,
            running: settings,
            load: reload,
            apply: { [camera] in camera.apply($0) },
            logger: logger
        )
        var settled = ServiceGroupConfiguration.ServiceConfiguration(service: reloading, serviceName: "reload")
        settled.successTerminationBehavior = .gracefullyShutdownGroup
        services.append(settled)
        if let signs = signsOfLife { services.append(.init(service: signs, serviceName: "watchdog")) }
        var ending = ServiceGroupConfiguration.ServiceConfiguration(service: camera, serviceName: "camera")
        ending.successTerminationBehavior = .gracefullyShutdownGroup
        ending.failureTerminationBehavior = .gracefullyShutdownGroup
        return services + [ending]
    }

    /// Publishes the statistics at their interval.
    private var statistics: RepeatingService {
        let notice = Mutex(DecodingNotice())
        let interval = settings.statsInterval
        return RepeatingService(interval: interval) { [settings, delivery, publisher, session, camera, logger] in
            var messages = delivery?.figures ?? DaemonStats.Messages()
            if publisher.failedPreviews > 0 { messages.dropped["preview_failed"] = publisher.failedPreviews }
            let stats = session.meter.figures(with: messages)
            publisher.publish(stats)
            // Home Assistant treats a value that is not repeated as unknown.
            if settings.homeAssistant.discovery {
                let topics = HomeAssistantDiscovery.repeated.map { $0.name(under: settings.mqtt.topic) }
                delivery?.connection.repeatStates(topics)
            }
            if let words = notice.withLock({ $0.words(stats, of: camera.source) }) { logger.info("\(words)") }
        }
    }

    /// Begins the day's totals anew soon after midnight, even if no face comes. Sleeping until then is not enough,
    /// because the clock may be set and the machine suspended.
    private var day: RepeatingService {
        RepeatingService(interval: .seconds(10)) { [publisher] in publisher.publishToday() }
    }

    /// Tells the service manager that the session makes progress; nil if no manager waits for that.
    private var signsOfLife: RepeatingService? {
        guard let manager, let interval = manager.watchdogInterval else { return nil }
        let watchdog = Watchdog(interval: interval, logger: logger)
        // Twice as often as wanted, as sd_watchdog_enabled(3) advises.
        return RepeatingService(interval: interval / 2, beginsAtOnce: true) { [meter = session.meter] in
            if watchdog.isAlive(timeWithFrame: meter.timeWithFrame) { manager.alive() }
        }
    }
}
