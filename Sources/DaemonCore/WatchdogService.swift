import Logging
import ServiceLifecycle

/// Tells whether the pipeline lives.
///
/// Waiting for a camera is life; a model or a driver's buffer that never comes back is not, and only a restart helps.
struct Watchdog {
    enum Verdict: Hashable {
        case alive
        /// A frame has been worked on for the whole interval, since the last verdict or for longer.
        case newlyStuck
        case stillStuck
    }

    let interval: Duration
    private var wasStuck = false

    init(interval: Duration) {
        self.interval = interval
    }

    mutating func judge(timeWithFrame: Duration) -> Verdict {
        guard timeWithFrame >= interval else {
            wasStuck = false
            return .alive
        }
        defer { wasStuck = true }
        return wasStuck ? .stillStuck : .newlyStuck
    }
}

/// Gives the service manager the signs of life it wants, as long as there are any.
struct WatchdogService: Service {
    let manager: ServiceManager
    let interval: Duration
    let meter: PipelineMeter
    let logger: Logger

    func run() async {
        // Leaving the sleep early is how the end shows.
        try? await cancelWhenGracefulShutdown { try await watch() }
    }

    private func watch() async throws {
        var watchdog = Watchdog(interval: interval)
        while true {
            let time = meter.timeWithFrame
            switch watchdog.judge(timeWithFrame: time) {
            case .alive: manager.alive()
            case .newlyStuck:
                logger.error(
                    "a frame is stuck in the analysis; the service manager will restart facetd",
                    metadata: ["for": "\(time)"]
                )
            case .stillStuck: break
            }
            // Twice as often as wanted, as sd_watchdog_enabled(3) advises.
            try await Task.sleep(for: interval / 2)
        }
    }
}
