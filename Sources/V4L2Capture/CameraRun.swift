import Frames
import Synchronization
import System

/// One run of a camera source: open, stream, lose, wait, open again.
struct CameraRun {
    let source: CameraSource
    let mailbox: FrameMailbox
    var known: CameraMemory.Content
    var report = LossReport()
    /// Nothing announces a camera that is back, so it is tried again within the longest wait.
    var backoff = Backoff(0.25...0.5)
    /// The nodes at the time when `fallback` had no source.
    var nodesWithoutFallback: [String]?
    private var configuration: CameraConfiguration { source.configuration }
    private var calls: any V4L2Calls { source.calls }
    private var lastSeen: V4L2Device.Identity? {
        known.configuration?.device == configuration.device ? known.identity : nil
    }
    /// Whether this very configuration has streamed; before that, the camera may be unable to fulfil it.
    private var hasStreamed: Bool { known.configuration == configuration }

    /// Runs until the source is stopped or can't even start.
    /// - Returns: Nil if another source took over.
    mutating func untilEnd() -> SourceEvent.End? {
        while true {
            do throws(V4L2Error) {
                try streamOnce()
                return .stopped
            } catch {
                if case .setUpElsewhere = error, source.goesOn(into: mailbox, &nodesWithoutFallback) { return nil }
                guard hasStreamed || configuration.waitsForCamera && !error.isMisconfiguration else {
                    return .failed(error.sourceFailure)
                }
                if report.failed(error.reason, now: calls.now().monotonic) {
                    guard mailbox.put(.lost(error.sourceFailure)) else { return .stopped }
                }
                // There is no device to wait for; if the wait fails, the next try is only earlier.
                let milliseconds = Int(backoff.next() * 1000)
                let ready = try? calls.wait(-1, stop: source.stopWaker.descriptor, milliseconds: milliseconds)
                if ready == .stopped { return .stopped }
            }
        }
    }

    private mutating func streamOnce() throws(V4L2Error) {
        let finder = DeviceFinder(selector: configuration.device, calls: calls)
        let stream = try finder.open(lastSeen: lastSeen) { device throws(V4L2Error) in
            try CaptureStream(device, configuration, source.options.wholeOrientation)
        }
        var loop = CaptureLoop(stream: stream, source: source, mailbox: mailbox, timeline: known.timeline)
        defer {
            known.timeline = loop.timeline
            if loop.hasDelivered {
                known.configuration = configuration
                known.identity = stream.device.identity
                source.memory.content.withLock { $0 = known }
                report.streaming()
                backoff.reset()
            }
        }
        try loop.run()
    }
}

/// Decides when a loss is reported: when it happens, and again only for a reason that a person must remove.
///
/// While a camera is away each try fails anew, for reasons that follow from each other (unplugged, not found) or pass
/// by themselves (no permission yet, because udev has not finished). Those are not reported.
struct LossReport {
    /// Nanoseconds for which another reason must last before it is reported.
    static let settling: Int64 = 3_000_000_000

    /// Reasons that do not go away by themselves.
    private static let persistentReasons: Set<SourceFailure.Reason> = [
        .permissionDenied, .busy, .notACamera, .unsupportedMode, .unsupportedControl,
    ]

    private var reported: SourceFailure.Reason?
    private var pending: (reason: SourceFailure.Reason, since: Int64)?

    mutating func streaming() {
        reported = nil
        pending = nil
    }

    /// Notes a loss or a failed reopening at a monotonic time in nanoseconds; returns whether to report it.
    mutating func failed(_ reason: SourceFailure.Reason, now: Int64) -> Bool {
        let isNews = reported.map { reason != $0 && Self.persistentReasons.contains(reason) } ?? true
        if !isNews { pending = nil } else if pending?.reason != reason { pending = (reason, now) }
        guard let pending, reported == nil || now - pending.since >= Self.settling else { return false }
        reported = reason
        self.pending = nil
        return true
    }
}

/// What is known of a camera that was in use, kept for the next source that is made for it.
///
/// A camera that was closed for a while is thereby found under another number, and waited for as after a loss.
package final class CameraMemory: Sendable {
    struct Content: Sendable {
        /// The configuration with which it last streamed.
        var configuration: CameraConfiguration?
        var identity: V4L2Device.Identity?
        var timeline = FrameTimeline()
    }

    let content = Mutex(Content())

    package init() {}
}
