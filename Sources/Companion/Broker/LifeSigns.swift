import FaceMessages

/// Which daemons give signs of life: what the broker has kept of one that ended together with it says that it is online.
struct LifeSigns {
    private struct Daemon {
        /// The newest status, which says that it is online.
        var status: CameraMessage
        var origin: MessageOrigin
        /// Seconds between two signs of life at the most.
        var interval: Double
        var heard: SuspendingClock.Instant
        var isGone = false
    }

    /// How often daemons publish their figures unless their status says otherwise.
    static let usualInterval = 10.0
    /// After how many intervals without a sign a daemon counts as gone.
    static let patience = 3.0

    private var daemons: [String: Daemon] = [:]

    /// Notes a message. Returns the status of its daemon if that was taken for gone.
    mutating func take(_ message: CameraMessage, at now: SuspendingClock.Instant = .now) -> CameraMessage? {
        let base = message.base
        switch message.content {
        case .removed where message.topic == .status: daemons[base] = nil
        case .decoded(.status(let status, let origin)):
            guard status.state == .online else {
                // A will that arrives late is that of an earlier run.
                if daemons[base]?.origin.boot == origin.boot { daemons[base] = nil }
                return nil
            }
            let interval = status.statsInterval ?? daemons[base]?.interval ?? Self.usualInterval
            daemons[base] = Daemon(status: message, origin: origin, interval: interval, heard: now)
        default:
            guard var daemon = daemons[base], !message.isRetained, !Topic.commands.contains(message.topic) else { return nil }
            // Before version 0.5 the status does not state the interval.
            if case .decoded(.stats(let figures, _)) = message.content {
                daemon.interval = max(daemon.interval, figures.interval)
            }
            defer { daemons[base] = daemon }
            daemon.heard = now
            guard daemon.isGone else { return nil }
            daemon.isGone = false
            return daemon.status
        }
        return nil
    }

    /// What to say of daemons of which nothing came for too long, each once: as a status, which is no sign of life.
    mutating func vanished(at now: SuspendingClock.Instant = .now) -> [CameraMessage] {
        daemons.filter { !$1.isGone && now - $1.heard > .seconds($1.interval * Self.patience) }.sorted { $0.key < $1.key }
            .map { base, daemon in
                daemons[base]?.isGone = true
                let silence = FleetFormatter.duration(daemon.interval * Self.patience)
                let status = DaemonStatus(state: .gone, detail: "no sign of life for \(silence)")
                let content = CameraMessage.Content.decoded(.status(status, from: daemon.origin))
                return CameraMessage(base: base, topic: .status, content: content, isRetained: true)
            }
    }
}
