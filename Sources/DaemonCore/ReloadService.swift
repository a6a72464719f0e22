import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the settings again on SIGHUP. Settings that are not valid change nothing.
struct ReloadService: Service {
    let running: Settings
    let load: @Sendable () throws -> Settings
    let apply: @Sendable (Settings) -> Void
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        await cancelWhenGracefulShutdown {
            for await _ in signals { reload() }
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

extension Settings {
    /// The sections that only a restart can change and that differ; all others take effect with a reload.
    func changedFixedSections(from old: Settings) -> [String] {
        let sections: [(name: String, differs: Bool)] = [
            ("camera.name", camera.name != old.camera.name),
            ("detection.remember", detection.remember != old.detection.remember), ("events", events != old.events),
            ("publish", publish != old.publish), ("mqtt", mqtt != old.mqtt), ("outbox", outbox != old.outbox),
            ("homeassistant", homeAssistant != old.homeAssistant), ("stats", stats != old.stats),
            ("log", log != old.log),
        ]
        return sections.filter(\.differs).map(\.name)
    }
}
