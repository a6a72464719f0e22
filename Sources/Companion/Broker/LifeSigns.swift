/// Watches which daemons give signs of life: one that ends together with its broker is online in its retained status.
struct LifeSigns {
    private struct Daemon {
        /// The newest status, which says that it is online.
        var status: CameraMessage
        var origin: MessageOrigin
        /// The longest time between two signs of life, in seconds; nil if the daemon need not give any.
        var interval: Double?
        var heard: SuspendingClock.Instant
        var isGone = false
    }

    /// The number of intervals without a sign after which a daemon counts as gone.
    static let patience = 3.0

    private var daemons = ByteDictionary<Daemon>()

    /// Notes a message. Returns its daemon's status if the daemon had been taken for gone.
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
            let interval = status.statsInterval ?? daemons[base]?.interval ?? status.signInterval
            daemons[base] = Daemon(status: message, origin: origin, interval: interval, heard: now)
        default:
            guard var daemon = daemons[base], !message.isRetained, !Topic.commands.contains(message.topic) else {
                return nil
            }
            if case .decoded(.stats(let figures, _)) = message.content {
                daemon.interval = max(daemon.interval ?? 0, figures.interval)
            }
            defer { daemons[base] = daemon }
            daemon.heard = now
            guard daemon.isGone else { return nil }
            daemon.isGone = false
            return daemon.status
        }
        return nil
    }

    /// Statuses to report for daemons that gave no sign for too long, once each; these do not count as signs of life.
    mutating func vanished(at now: SuspendingClock.Instant = .now) -> [CameraMessage] {
        daemons.sorted { $0.key < $1.key }
            .compactMap { base, daemon in
                guard !daemon.isGone, let interval = daemon.interval,
                    now - daemon.heard > .seconds(interval * Self.patience)
                else { return nil }
                daemons[base]?.isGone = true
                let silence = Seconds.inOneUnit(interval * Self.patience)
                let status = DaemonStatus(state: .gone, detail: "no sign of life for \(silence)")
                let content = CameraMessage.Content.decoded(.status(status, from: daemon.origin))
                return CameraMessage(base: base, topic: .status, content: content, isRetained: true)
            }
    }
}

extension DaemonStatus {
    /// The longest time between two of the daemon's signs of life, in seconds: as its status says; the default for a
    /// daemon before version 0.5, whose status does not say it; nil for one that need not give any.
    var signInterval: Double? { statsInterval ?? (publish == nil ? UpdateMessages.statsInterval : nil) }
}
