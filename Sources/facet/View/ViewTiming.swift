import Foundation

/// How fast the view is: pictures, redraws, time from a message's arrival to the terminal, processor time.
struct ViewTiming {
    /// Latencies kept for the summary: the newest, so that a view that runs for days needs no more memory.
    private static let capacity = 4096

    private let start = ContinuousClock.now
    private var arrived: ContinuousClock.Instant?
    private var latencies: [Double] = []
    private var total = 0
    private var draws = RecentMoments()
    private var pictures = RecentMoments()

    /// Notes that something to be drawn has arrived, and when.
    mutating func arrive(_ arrival: ContinuousClock.Instant) {
        arrived = arrived ?? arrival
    }

    /// Notes that another picture is about to be drawn.
    mutating func show() {
        pictures.add(.now)
    }

    /// Notes that all that has arrived is on the screen.
    mutating func draw() {
        let now = ContinuousClock.now
        if let arrived {
            let latency = arrived.duration(to: now) / .milliseconds(1)
            if latencies.count < Self.capacity {
                latencies.append(latency)
            } else {
                latencies[total % Self.capacity] = latency
            }
        }
        arrived = nil
        total += 1
        draws.add(now)
    }

    /// Redraws a second, over the last seconds.
    var rate: Double { draws.rate(at: .now) ?? 0 }

    /// Preview pictures a second, over the last seconds; nil if none came lately.
    var pictureRate: Double? { pictures.rate(at: .now) }

    /// How many latencies are kept.
    var samples: Int { latencies.count }

    /// One line about the whole run.
    var summary: String {
        let seconds = start.duration(to: .now) / .seconds(1)
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpu = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        let sorted = latencies.sorted()
        func quantile(_ share: Double) -> String {
            sorted.isEmpty ? "–" : "\((sorted[Int(Double(sorted.count - 1) * share)] * 10).rounded() / 10) ms"
        }
        return
            "\(total) redraws in \((seconds * 10).rounded() / 10) s (\((Double(total) / seconds * 10).rounded() / 10)/s), "
            + "message to screen median \(quantile(0.5)), 95 % \(quantile(0.95)), "
            + "processor \((cpu / seconds * 1000).rounded() / 10) % of one core"
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}

/// When something happened lately, to measure how often it does.
struct RecentMoments {
    /// Twelve seconds of pictures once every four seconds are still a rate.
    private static let span = Duration.seconds(12)

    /// The moments that a rate is measured from: enough for two seconds at the highest rate of a view.
    private static let capacity = 120

    private var moments: [ContinuousClock.Instant] = []

    /// Adds a moment, not earlier than the last one.
    mutating func add(_ moment: ContinuousClock.Instant) {
        if moments.count == Self.capacity { moments.removeFirst() }
        moments.append(moment)
    }

    /// How often it happened a second, over the last two seconds, or over the last few times where it is rarer; nil if it
    /// has not happened lately.
    func rate(at now: ContinuousClock.Instant) -> Double? {
        guard let last = moments.last, last.duration(to: now) < Self.span else { return nil }
        let recent = moments.filter { $0.duration(to: now) < .seconds(2) }
        let counted = recent.count >= 3 ? recent : Array(moments.suffix(3))
        guard let first = counted.first, first < last else { return 0 }
        return Double(counted.count - 1) / (first.duration(to: last) / .seconds(1))
    }
}

/// Where a view stands in time: its own, which a pause holds, and that of a clip, which begins again after its end.
///
/// All times are in seconds; those handed in count from the view's beginning and go on during a pause.
struct ViewClock {
    private var clipStart = 0.0
    private var pauseStart: Double?

    /// Whether the view stands still.
    var isPaused: Bool { pauseStart != nil }

    /// Holds the view's time, or lets it go on; the clip then goes on where it stood.
    mutating func setPaused(_ isPaused: Bool, at seconds: Double) {
        if isPaused {
            pauseStart = pauseStart ?? seconds
        } else if let start = pauseStart {
            clipStart += seconds - start
            pauseStart = nil
        }
    }

    /// Lets the clip begin again.
    mutating func restartClip(at seconds: Double) {
        clipStart = seconds
    }

    /// The time of what is shown.
    func shown(at seconds: Double) -> Double { pauseStart ?? seconds }

    /// The clip's time.
    func clip(at seconds: Double) -> Double { shown(at: seconds) - clipStart }
}
