import Foundation

/// How fast the view is: redraws, time from a message's arrival to the terminal, processor time.
struct ViewTiming {
    private let start = ContinuousClock.now
    private var arrived: ContinuousClock.Instant?
    private var latencies: [Double] = []
    private var draws: [ContinuousClock.Instant] = []
    private(set) var total = 0

    /// Notes that something to be drawn has arrived, and when.
    mutating func arrive(_ arrival: ContinuousClock.Instant) {
        arrived = arrived ?? arrival
    }

    /// Notes that all that has arrived is on the screen.
    mutating func draw() {
        let now = ContinuousClock.now
        if let arrived { latencies.append(arrived.duration(to: now) / .milliseconds(1)) }
        arrived = nil
        total += 1
        draws.append(now)
        while let first = draws.first, first.duration(to: now) > .seconds(2) { draws.removeFirst() }
    }

    /// Redraws a second, over the last two seconds.
    var rate: Double {
        guard let first = draws.first, let last = draws.last, first < last else { return 0 }
        return Double(draws.count - 1) / (first.duration(to: last) / .seconds(1))
    }

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
