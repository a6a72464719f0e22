import System

/// Opens a source again after each loss until the source ends or is stopped. The wait before reopening doubles.
package struct SourceRunner {
    /// The rule that decides which losses are reported.
    package var report = LossReport()
    /// Waits for a duration; returns false once the source was stopped.
    package var wait: (Duration) -> Bool
    /// Returns the time in nanoseconds, by a clock that stops while the machine is suspended.
    package var now = { nanoseconds(of: CLOCK_MONOTONIC) }
    /// The range of the random factor of each wait, so that programs with the same camera retry at different times.
    package var spread = 0.75...1.25
    private let mailbox: FrameMailbox
    private let stop: StopSignal
    private let waits: ClosedRange<Double>
    /// How long a source must have been open, in nanoseconds, for the next wait to be the shortest one again.
    private static let steadyTime: Int64 = 5_000_000_000

    /// Makes a runner whose waits between attempts grow within `waits`, in seconds.
    package init(into mailbox: FrameMailbox, until stop: StopSignal, waiting waits: ClosedRange<Double> = 0.5...30) {
        self.mailbox = mailbox
        self.stop = stop
        self.waits = waits
        wait = stop.wait(for:)
    }

    /// Runs `play` again and again until the source ends, then puts `.ended` into the mailbox.
    /// - Parameter play: Opens the source and delivers its frames. It returns how the source ended, or nil to be called
    ///   again at once. It throws the reason why frames stopped coming, or never came.
    package func run(_ play: () throws(SourceFailure) -> SourceEvent.End?) { mailbox.put(.ended(end(of: play))) }

    private func end(of play: () throws(SourceFailure) -> SourceEvent.End?) -> SourceEvent.End {
        var report = report
        var backoff = Backoff(waits)
        while !stop.isSet {
            let begin = now()
            do throws(SourceFailure) {
                if let end = try play() { return stop.isSet ? .stopped : end }
                backoff.reset()
            } catch {
                guard !stop.isSet else { break }
                if mailbox.isStreaming {
                    report.streaming()
                    if now() - begin > Self.steadyTime { backoff.reset() }
                }
                if report.isDue(error, now: now()), !mailbox.put(.lost(error)) { break }
                guard wait(.seconds(backoff.next(times: .random(in: spread)))) else { break }
            }
        }
        return .stopped
    }
}

/// Decides which losses of a source are reported: the first, and later ones if their reason is new and persists.
package struct LossReport {
    /// How long, in nanoseconds, a failure other than the reported one must persist before it is reported too.
    private let settling: Int64
    /// The kinds of failure that are reported even if another was already reported since the last frame; nil for all.
    private let reasons: Set<SourceFailure.Reason>?
    private var reported: SourceFailure?
    private var pending: (failure: SourceFailure, since: Int64)?

    package init(settling: Int64 = 0, reasons: Set<SourceFailure.Reason>? = nil) {
        self.settling = settling
        self.reasons = reasons
    }

    /// Notes that frames came, so that the next loss is reported.
    mutating func streaming() {
        reported = nil
        pending = nil
    }

    /// Notes a loss or a failed attempt to open the source, at `now` in nanoseconds; returns whether to report it.
    mutating func isDue(_ failure: SourceFailure, now: Int64) -> Bool {
        let isNews = reported.map { failure != $0 && reasons?.contains(failure.reason) ?? true } ?? true
        if !isNews { pending = nil } else if pending?.failure != failure { pending = (failure, now) }
        guard let pending, reported == nil || now - pending.since >= settling else { return false }
        reported = failure
        self.pending = nil
        return true
    }
}
