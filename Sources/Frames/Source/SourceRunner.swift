import System

/// Opens a source again after each loss, with growing waits, until it ends or is stopped; all sources use it.
package struct SourceRunner {
    /// The rule that decides which losses are reported.
    package var report = LossReport()
    /// Waits for a time; returns false once the source was stopped.
    package var wait: (Duration) -> Bool
    /// The time in nanoseconds by a clock that stands still while the machine is suspended.
    package var now = { nanoseconds(of: CLOCK_MONOTONIC) }
    /// The random factor of each wait, so that programs that read the same camera do not try at the same moment.
    package var spread = 0.75...1.25
    private let mailbox: FrameMailbox
    private let stop: StopSignal
    private let waits: ClosedRange<Double>
    /// The time, in nanoseconds, for which a source must have been open for the waits to begin anew.
    private static let steadyTime: Int64 = 5_000_000_000

    /// Makes a runner that waits for a time within `waits`, in seconds, before each new try.
    package init(into mailbox: FrameMailbox, until stop: StopSignal, waiting waits: ClosedRange<Double> = 0.5...30) {
        self.mailbox = mailbox
        self.stop = stop
        self.waits = waits
        wait = stop.wait(for:)
    }

    /// Tries until the source ends, and puts `.ended` into the mailbox.
    /// - Parameter play: Delivers frames. It returns how the source ended, or nil to begin again at once; it throws why
    ///   frames stopped coming, or why they did not come.
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

/// Decides when a loss is reported: at once, and again for another failure that lasts. A night makes one line.
package struct LossReport {
    /// The time, in nanoseconds, that another failure must last before it is reported.
    private let settling: Int64
    /// The reasons for which another failure is reported; nil for all.
    private let reasons: Set<SourceFailure.Reason>?
    private var reported: SourceFailure?
    private var pending: (failure: SourceFailure, since: Int64)?

    package init(settling: Int64 = 0, reasons: Set<SourceFailure.Reason>? = nil) {
        self.settling = settling
        self.reasons = reasons
    }

    /// Notes that frames came.
    mutating func streaming() {
        reported = nil
        pending = nil
    }

    /// Notes a loss or a failed try at a time in nanoseconds.
    /// - Returns: Whether to report it.
    mutating func isDue(_ failure: SourceFailure, now: Int64) -> Bool {
        let isNews = reported.map { failure != $0 && reasons?.contains(failure.reason) ?? true } ?? true
        if !isNews { pending = nil } else if pending?.failure != failure { pending = (failure, now) }
        guard let pending, reported == nil || now - pending.since >= settling else { return false }
        reported = failure
        self.pending = nil
        return true
    }
}
