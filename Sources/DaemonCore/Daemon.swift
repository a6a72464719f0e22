import Foundation
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The whole daemon: one run of `facetd`.
package enum Daemon {
    /// Runs until a clip has ended, SIGTERM or SIGINT comes, or something fails.
    ///
    /// `prints` says whether every message is written to standard output, `usesBroker` whether messages go to a broker;
    /// `summarize` is called at the end with a line for each face that was seen; `reload` reads the settings again.
    /// Throws an error that says which setting cannot work and why, before anything runs; else what failed, once
    /// everything else has ended in good order.
    package static func run(
        _ settings: Settings,
        prints: Bool,
        usesBroker: Bool,
        summarize: (@Sendable ([String]) -> Void)?,
        reload: @escaping @Sendable () throws -> Settings,
        logger: Logger
    ) async throws {
        // For the password, the outbox's place and the service manager.
        let environment = ProcessInfo.variables
        let origin = MessageOrigin(camera: settings.camera.name, boot: ULID.make(at: .wallClock()))
        let delivery =
            usesBroker ? try Delivery(settings, origin: origin, environment: environment, logger: logger) : nil
        let ledger = delivery?.ledger ?? Ledger()
        // Before anything is published: a clip that is missing is a mistake on the command line.
        let source = settings.source
        let firstFaceID = ledger.nextFaceID()
        let session = try await FaceSession(source: source, options: settings.sessionOptions, firstFaceID: firstFaceID)
        // After the broker's, which writes events to the outbox: what is printed has its number for good, even if the
        // daemon is killed right then.
        let print = prints ? PrintSink(base: settings.mqtt.topic) : nil
        let summary = summarize == nil ? nil : RunSummary()
        let sinks = ([delivery?.sink, print, summary] as [(any MessageSink)?]).compactMap(\.self)
        let publisher = try Publisher(origin: origin, wanted: settings.publish, ledger: ledger, sinks: sinks)
        let manager = ServiceManager(environment: environment)
        let isDetecting = ledger.lastSwitch ?? settings.detection.enabled
        let status = StatusReporter(publisher: publisher, manager: manager, isDetecting: isDetecting, logger: logger)
        status.announce(delivery?.outbox.condition, settings: settings)
        // No face is there until a frame says so: what a run that died left retained must not outlive it. After the
        // status, by which subscribers know that nothing is being looked at yet.
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
            // Home Assistant takes what is not repeated for unknown.
            if settings.homeAssistant.discovery {
                let topics = HomeAssistantDiscovery.repeated.map { $0.name(under: settings.mqtt.topic) }
                delivery?.connection.repeatStates(topics)
            }
            if let words = notice.withLock({ $0.words(stats) }) { logger.info("\(words)") }
        }
        // Totals begin anew soon after midnight, although no face comes. A sleep until then is not enough: the clock
        // may be set and the machine suspended.
        let day = RepeatingService(interval: .seconds(10)) { publisher.publishToday() }
        // Without names the group makes them of everything that the services contain, in 8 ms.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let delivery {
            let base = settings.mqtt.topic
            let broker = BrokerService(delivery: delivery, camera: camera, status: status, base: base, logger: logger)
            services.append(.init(service: broker, serviceName: "broker"))
        }
        services += [.init(service: stats, serviceName: "stats"), .init(service: day, serviceName: "day")]
        let apply: @Sendable (Settings) -> Void = { camera.apply($0) }
        let reloading = await ReloadService(running: settings, load: reload, apply: apply, logger: logger)
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
