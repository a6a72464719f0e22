/// Runs the session, publishes its updates, and applies commands and reloaded settings to it.
///
/// A session blocks in system calls and in the models, so it has a thread of its own.
final class SessionService: Service {
    private let session: FaceSession
    /// The ticket with which `end` cancels the run, even if the run has not begun.
    private let ticket = RunTicket()
    private let status: StatusReporter
    private let onChange: @Sendable (Settings) -> Void
    private let onEnd: @Sendable () -> Void
    private let logger: Logger
    private let failure = Mutex<(any Error)?>(nil)
    private let settings: Mutex<ReloadedSettings>

    /// Makes a service for a session that was made from the same settings. `isOn` says whether detection is on at
    /// first; nil leaves that to the settings. `onChange` is called with new settings once they are in effect, `onEnd`
    /// when the run is to end, before its last messages.
    init(
        settings: Settings,
        isOn: Bool? = nil,
        session: FaceSession,
        status: StatusReporter,
        onChange: @escaping @Sendable (Settings) -> Void = { _ in },
        onEnd: @escaping @Sendable () -> Void = {},
        logger: Logger
    ) {
        (self.session, self.status, self.logger) = (session, status, logger)
        self.onChange = onChange
        self.onEnd = onEnd
        self.settings = Mutex(ReloadedSettings(settings))
        if !(isOn ?? settings.detection.enabled) { session.pause() }
    }

    /// The setting `camera.source` that is in effect.
    var source: String { settings.withLock(\.settings.camera.source) }

    /// Switches detection on or off, which opens or closes the camera. Safe to call from any thread. The session's
    /// thread publishes the state once it has changed, so that subscribers know the last state after quick switches.
    func setDetection(_ isOn: Bool) { if isOn { session.resume() } else { session.pause() } }

    /// Gives the session new settings, which take effect once it works with them. Only parts whose settings differ are
    /// made anew, and detection is switched only if its setting changed.
    func apply(_ settings: Settings) { change { $0 = settings } }

    /// Changes what counts as a smile until the settings are read again. Safe to call from any thread.
    func setSmile(_ smile: SmileChange) { change { smile.apply(to: &$0.tracking.smile) } }

    /// Switches a zone on or off until the settings are read again. Safe to call from any thread.
    func setZone(_ command: ZoneSwitch) throws(UnknownZone) {
        let names = settings.withLock { $0.newest.tracking.zones.map(\.name) }
        guard names.contains(command.zone) else { throw UnknownZone(name: command.zone, known: names) }
        change { settings in
            for index in settings.tracking.zones.indices where settings.tracking.zones[index].name == command.zone {
                settings.tracking.zones[index].isOn = command.isOn
            }
        }
    }

    private func change(_ edit: (inout Settings) -> Void) {
        // Within the lock, because the session may report their outcome at once.
        settings.withLock { known in
            var wanted = known.newest
            edit(&wanted)
            known.offer(wanted, number: session.apply(source: wanted.source, options: wanted.sessionOptions))
        }
    }

    private func follow(_ status: ConfigurationStatus, _ pipeline: Pipeline) {
        guard let (old, new) = settings.withLock({ $0.follow(status) }) else { return }
        pipeline.use(new)
        onChange(new)
        if old.detection.enabled != new.detection.enabled { setDetection(new.detection.enabled) }
    }

    /// Runs the session until its clip ends or the daemon is to end. Throws `FaceSessionError` if the source or the
    /// models cannot be used, or the error that `end` was given.
    func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await onThread(named: "session") { try self.runSession() }
        } onCancelOrGracefulShutdown: {
            self.end()
        }
        if let failure = failure.withLock(\.self) { throw failure }
    }

    /// Makes `run` end soon, after a leave event for each present face. `run` then throws `error` if there is one.
    func end(_ error: (any Error)? = nil) {
        failure.withLock { $0 = $0 ?? error }
        onEnd()
        session.cancel(ticket)
    }

    private func runSession() throws {
        // When this returns, all messages have gone to the sinks, which are closed next.
        defer { status.publisher.finish() }
        let settings = settings.withLock(\.settings)
        let pipeline = try Pipeline(settings: settings, status: status, meter: session.meter, logger: logger)
        var isReady = false
        try session.run(ticket) { update in
            follow(update.configuration, pipeline)
            pipeline.publish(update)
            // The models are loaded, or detection is off.
            if !isReady, ![.starting, .ended].contains(update.state) {
                isReady = true
                status.ready()
            }
        }
    }
}

/// The error that a command names a zone that is not in the settings.
struct UnknownZone: Error, CustomStringConvertible {
    var name: String
    var known: [String]

    var description: String {
        let others = known.isEmpty ? "the settings have none" : "there are: \(known.joined(separator: ", "))"
        return "there is no zone '\(name)'; \(others)"
    }
}
