/// The daemons that give signs of life. One that ended together with the broker is online by what that has kept.
struct LifeSigns {
    private struct Daemon {
        /// The newest status, which says that it is online.
        var status: CameraMessage
        var origin: MessageOrigin
        /// Seconds between two signs of life at the most; nil if it need not give any.
        var interval: Double?
        var heard: SuspendingClock.Instant
        var isGone = false
    }

    /// After how many intervals without a sign a daemon counts as gone.
    static let patience = 3.0

    private var daemons = ByteDictionary<Daemon>()

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

    /// What to say of daemons of which nothing came for too long, each once: as a status, which is no sign of life.
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
    /// Seconds between two signs of life of the daemon: as its status states; the default for a daemon before version
    /// 0.5, which states neither this nor what it publishes; nil for one that need not give any.
    var signInterval: Double? { statsInterval ?? (publish == nil ? UpdateMessages.statsInterval : nil) }
}
