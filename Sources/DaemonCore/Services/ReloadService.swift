import UnixSignals

/// Reads the settings again on SIGHUP. Invalid settings change nothing. Its run ends when the terminal is closed.
struct ReloadService: Service {
    let signals: HangUpSignals
    let running: Settings
    let load: @Sendable () throws -> Settings
    let apply: @Sendable (Settings) -> Void
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            if await signals.handle(reload) { logger.info("the terminal was closed") }
        }
    }

    private func reload() {
        let settings: Settings
        do {
            settings = try load()
        } catch {
            logger.error("the settings were not reloaded, the running ones stay", metadata: ["reason": "\(error)"])
            return
        }
        let fixed = settings.changedFixedSections(from: running)
        if !fixed.isEmpty {
            logger.warning("these settings need a restart", metadata: ["settings": "\(fixed.joined(separator: ", "))"])
        }
        logger.info("settings reloaded")
        apply(settings)
    }
}

/// The SIGHUP signals to this process, handled from the moment this value is made. One that comes before `handle` runs
/// is remembered.
struct HangUpSignals: Sendable {
    /// Whether closing the terminal ends the daemon; false if it was started with `nohup` or has no terminal.
    private let endsWithTerminal: Bool
    private let signals: UnixSignalsSequence

    init() async {
        // Read first: once this process handles the signal itself, it counts as ignored.
        endsWithTerminal = !isIgnored(SIGHUP) && Self.hasTerminal
        signals = await UnixSignalsSequence(trapping: .sighup)
    }

    /// Calls `action` at each signal. Returns when the terminal was closed, which sends SIGHUP too, or the daemon ends.
    /// - Returns: Whether the terminal was closed.
    func handle(_ action: () -> Void) async -> Bool {
        for await _ in signals {
            if endsWithTerminal, !Self.hasTerminal { return true }
            action()
        }
        return false
    }

    /// Whether the process still has an open terminal. If it has none, `open` returns -1, and then `close` fails.
    private static var hasTerminal: Bool { close(open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)) == 0 }
}

extension Settings {
    /// Returns the changed sections that take effect only after a restart. All others take effect with a reload.
    func changedFixedSections(from old: Settings) -> [String] {
        let sections: [(name: String, differs: Bool)] = [
            ("camera.name", camera.name != old.camera.name),
            ("detection.remember", detection.remember != old.detection.remember),
            ("events", outbox.rules.maximumAge != old.outbox.rules.maximumAge),
            ("publish", publish != old.publish), ("mqtt", mqtt != old.mqtt),
            ("outbox", (outbox.path, outbox.rules.capacity) != (old.outbox.path, old.outbox.rules.capacity)),
            ("homeassistant", homeAssistant != old.homeAssistant), ("stats", statsInterval != old.statsInterval),
            ("log", logLevel != old.logLevel),
        ]
        return sections.filter(\.differs).map(\.name)
    }
}
