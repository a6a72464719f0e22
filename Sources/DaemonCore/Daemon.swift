import Foundation
import UnixSignals

/// The `facetd` daemon: it connects the camera session, the broker and the other services, and runs them.
package enum Daemon {
    /// Runs the daemon until its clip ends, SIGTERM or SIGINT arrives, its terminal closes, or a service fails.
    ///
    /// `prints` says whether every message is written to standard output, `usesBroker` whether messages go to a broker.
    /// `summarize` is called at the end with the lines of a summary of all faces. `reload` reads the settings again.
    /// Before anything runs, throws an error that says which setting cannot work and why. Later throws the error that
    /// ended the run, after all services have shut down.
    package static func run(
        _ settings: Settings,
        prints: Bool,
        usesBroker: Bool,
        summarize: (@Sendable ([String]) -> Void)?,
        reload: @escaping @Sendable () throws -> Settings,
        logger: Logger
    ) async throws {
        // First of all: an unhandled SIGHUP would end the process.
        var reloading = await ReloadService(running: settings, load: reload, logger: logger)
        // Needed for the password, the outbox's path and the service manager.
        let environment = ProcessInfo.variables
        let origin = MessageOrigin(camera: settings.camera.name, boot: ULID.make(at: .wallClock()))
        let delivery =
            usesBroker ? try Delivery(settings, origin: origin, environment: environment, logger: logger) : nil
        let ledger = delivery?.ledger ?? Ledger()
        // Made before anything is published: a missing clip is a mistake on the command line.
        let source = settings.source
        let firstFaceID = ledger.nextFaceID()
        let session = try await FaceSession(source: source, options: settings.sessionOptions, firstFaceID: firstFaceID)
        // The print sink comes after the broker's, which writes events to the outbox: a printed event keeps its number
        // even if the daemon is killed at that moment.
        let print = prints ? PrintSink(base: settings.mqtt.topic) : nil
        let summary = summarize == nil ? nil : RunSummary()
        let sinks = ([delivery?.sink, print, summary] as [(any MessageSink)?]).compactMap(\.self)
        let publisher = try Publisher(origin: origin, wanted: settings.publish, ledger: ledger, sinks: sinks)
        let manager = ServiceManager(environment: environment)
        let isDetecting = ledger.lastSwitch ?? settings.detection.enabled
        let status = StatusReporter(publisher: publisher, manager: manager, isDetecting: isDetecting, logger: logger)
        status.announce(delivery?.outbox.condition, settings: settings)
        // Replaces what a killed run left retained, since no face is known yet. Published after the status, which tells
        // subscribers that no frame has been analysed.
        if let delivery { publisher.publishEmptySet(settings.tracking.zones, only: delivery.sink) }
        publisher.publishToday(always: true)
        let camera = SessionService(
            settings: settings,
            isOn: isDetecting,
            session: session,
            status: status,
            onChange: { delivery?.homeAssistant.use($0.tracking.zones) },
            onEnd: { print?.beginEnding() },
            logger: logger
        )
        print?.onFailure { error in
            if error.isGoneReader { logger.info("the reader of what is printed has gone") }
            camera.end(error.isGoneReader ? nil : error)
        }
        let meter = session.meter
        let notice = Mutex(DecodingNotice(source: settings.camera.source))
        let stats = RepeatingService(interval: settings.statsInterval) {
            var messages = delivery?.figures ?? DaemonStats.Messages()
            if publisher.failedPreviews > 0 { messages.dropped["preview_failed"] = publisher.failedPreviews }
            let stats = meter.figures(with: messages)
            publisher.publish(stats)
            // Home Assistant treats a value that is not repeated as unknown.
            if settings.homeAssistant.discovery {
                let topics = HomeAssistantDiscovery.repeated.map { $0.name(under: settings.mqtt.topic) }
                delivery?.connection.repeatStates(topics)
            }
            if let words = notice.withLock({ $0.words(stats) }) { logger.info("\(words)") }
        }
        // The totals must restart soon after midnight even if no face comes. Sleeping until then is not enough, because
        // the clock may be set and the machine suspended.
        let day = RepeatingService(interval: .seconds(10)) { publisher.publishToday() }
        // Without these names the group would build some from all that the services contain, which takes 8 ms.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let delivery {
            let base = settings.mqtt.topic
            let broker = BrokerService(delivery: delivery, camera: camera, status: status, base: base, logger: logger)
            services.append(.init(service: broker, serviceName: "broker"))
        }
        services += [.init(service: stats, serviceName: "stats"), .init(service: day, serviceName: "day")]
        reloading.apply = { camera.apply($0) }
        var settled = ServiceGroupConfiguration.ServiceConfiguration(service: reloading, serviceName: "reload")
        settled.successTerminationBehavior = .gracefullyShutdownGroup
        services.append(settled)
        if let manager, let interval = manager.watchdogInterval {
            let watchdog = Watchdog(interval: interval, logger: logger)
            // Twice as often as wanted, as sd_watchdog_enabled(3) advises.
            let signs = RepeatingService(interval: interval / 2, beginsAtOnce: true) {
                if watchdog.isAlive(timeWithFrame: meter.timeWithFrame) { manager.alive() }
            }
            services.append(.init(service: signs, serviceName: "watchdog"))
        }
        var ending = ServiceGroupConfiguration.ServiceConfiguration(service: camera, serviceName: "camera")
        ending.successTerminationBehavior = .gracefullyShutdownGroup
        ending.failureTerminationBehavior = .gracefullyShutdownGroup
        services.append(ending)
        defer {
            let frames = meter.counts
            var metadata: Logger.Metadata = ["captured": "\(frames.captured)", "analysed": "\(frames.analysed)"]
            for (reason, count) in frames.droppedByName { metadata["dropped_\(reason)"] = "\(count)" }
            logger.info("stopped", metadata: metadata)
            if let summary { summarize?(summary.lines(frames: frames.analysed)) }
        }
        var quiet = logger
        quiet.logLevel = .error
        let ends = [UnixSignal.sigterm, .sigint]
        let group = ServiceGroupConfiguration(services: services, gracefulShutdownSignals: ends, logger: quiet)
        try await ServiceGroup(configuration: group).run()
    }
}
