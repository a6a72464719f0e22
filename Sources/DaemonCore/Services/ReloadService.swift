import UnixSignals

/// Reads the settings again on SIGHUP. Invalid settings change nothing.
///
/// Closing the terminal sends SIGHUP too. The service then returns, which ends the daemon.
struct ReloadService: Service {
    let running: Settings
    let load: @Sendable () throws -> Settings
    var apply: @Sendable (Settings) -> Void = { _ in }
    let logger: Logger
    /// Whether closing the terminal ends the daemon; false if it was started with `nohup` or has no terminal.
    private let endsWithTerminal: Bool
    private let signals: UnixSignalsSequence

    /// Makes a service that handles SIGHUP from now on. It remembers one that comes before it runs.
    init(
        running: Settings,
        load: @escaping @Sendable () throws -> Settings,
        logger: Logger
    ) async {
        self.running = running
        self.load = load
        self.logger = logger
        // Read first: once this process handles the signal itself, it counts as ignored.
        endsWithTerminal = !isIgnored(SIGHUP) && Self.hasTerminal
        signals = await UnixSignalsSequence(trapping: .sighup)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in signals {
                if endsWithTerminal, !Self.hasTerminal {
                    logger.info("the terminal was closed")
                    return
                }
                reload()
            }
        }
    }

    /// Whether the process still has an open terminal. If it has none, `open` returns -1, and then `close` fails.
    private static var hasTerminal: Bool { close(open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)) == 0 }

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
