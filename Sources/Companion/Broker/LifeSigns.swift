/// Watches which daemons still run. Their status does not tell: it stays `online` if daemon and broker end together.
struct LifeSigns {
    private struct Daemon {
        /// The daemon's newest status message, which says `online`.
        var status: CameraMessage
        var origin: MessageOrigin
        /// The maximum interval between two signs of life, in seconds; nil if the daemon need not give any.
        var interval: Double?
        var heard: SuspendingClock.Instant
        var isGone = false
    }

    /// The number of intervals without a sign of life after which a daemon counts as gone.
    static let patience = 3.0

    private var daemons = ByteDictionary<Daemon>()

    /// Notes a message, which is a sign of life unless retained. If the daemon had counted as gone, returns its status.
    mutating func take(_ message: CameraMessage, at now: SuspendingClock.Instant = .now) -> CameraMessage? {
        let base = message.base
        switch message.content {
        case .removed where message.topic == .status: daemons[base] = nil
        case .decoded(.status(let status, let origin)):
            guard status.state == .online else {
                // A last will that arrives late belongs to an earlier run.
                if daemons[base]?.origin.boot == origin.boot { daemons[base] = nil }
                return nil
            }
            guard daemons[base] != nil || daemons.count < CameraTable.capacity else { return nil }
            let interval = status.statsInterval ?? daemons[base]?.interval ?? status.signInterval
            daemons[base] = Daemon(status: message, origin: origin, interval: interval, heard: now)
            // The payload may be large, and can be made anew.
            daemons[base]?.status.payload = []
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

    /// Returns a status `gone` for each daemon that has been silent for too long, once per silence.
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
    /// The maximum interval between two signs of life of the daemon, in seconds; nil if it need not give any. A daemon
    /// before version 0.5 does not state the interval, and has the default one.
    var signInterval: Double? { statsInterval ?? (publish == nil ? UpdateMessages.statsInterval : nil) }
}
