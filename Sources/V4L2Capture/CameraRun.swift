import Frames
import Synchronization
import System

/// One run of a camera source: open, stream, lose, wait, open again.
struct CameraRun {
    private let configuration: CameraConfiguration
    private let calls: any V4L2Calls
    private let stop: Waker
    private let mailbox: FrameMailbox
    private let finder: DeviceFinder

    private var timeline: FrameTimeline
    private var report = LossReport()
    /// Within the longest wait a camera that is back is noticed even if nothing announces it.
    private var backoff = Backoff(0.25...1)
    private var lastSeen: V4L2Device.Identity?
    /// Whether this very configuration has streamed: until then it may be one that the camera can't fulfil.
    private var hasStreamed: Bool
    private let memory: CameraMemory
    private let fallback: CameraSource.Fallback?
    /// Whether something has changed since `fallback` was asked.
    private var asksFallback = true
    /// What goes on in its place.
    private(set) var successor: (any FrameSource)?
    /// Made at the first loss: a camera that is never lost needs none.
    private var watch: (any DeviceWatch)?

    init(
        _ configuration: CameraConfiguration,
        _ calls: any V4L2Calls,
        _ stop: Waker,
        _ mailbox: FrameMailbox,
        _ memory: CameraMemory,
        _ fallback: CameraSource.Fallback?
    ) {
        self.fallback = fallback
        self.configuration = configuration
        self.calls = calls
        self.stop = stop
        self.mailbox = mailbox
        self.memory = memory
        finder = DeviceFinder(selector: configuration.device, calls: calls)
        let known = memory.content.withLock(\.self)
        timeline = known.timeline
        lastSeen = known.configuration?.device == configuration.device ? known.identity : nil
        hasStreamed = known.configuration == configuration
    }

    /// Goes on until the source is stopped or can't even start.
    ///
    /// - Returns: nil if there is a successor.
    mutating func untilEnd() -> SourceEnd? {
        while true {
            guard case .lost(let failure) = streamOnce() else { return .stopped }
            if case .setUpElsewhere = failure, asksFallback {
                asksFallback = false
                successor = fallback?()
                if successor != nil { return nil }
            }
            guard hasStreamed || configuration.waitsForCamera && !failure.isMisconfiguration else {
                return .failed(failure.sourceFailure)
            }
            if report.failed(failure.reason, now: calls.now().monotonic) {
                guard mailbox.put(.lost(failure.sourceFailure)) else { return .stopped }
            }
            guard pause() else { return .stopped }
        }
    }

    private mutating func streamOnce() -> CaptureLoop.End {
        do throws(V4L2Error) {
            let stream = try finder.open(lastSeen: lastSeen) { device throws(V4L2Error) in
                try CaptureStream(device, configuration)
            }
            var loop = CaptureLoop(stream, configuration, timeline, stop: stop, mailbox: mailbox)
            let end = loop.run()
            stream.close()
            timeline = loop.timeline
            if loop.hasDelivered {
                lastSeen = stream.device.identity
                hasStreamed = true
                remember()
                report.streaming()
                backoff.reset()
            }
            return end
        } catch {
            return .lost(error)
        }
    }

    private func remember() {
        memory.content.withLock { content in
            content = CameraMemory.Content(configuration: configuration, identity: lastSeen, timeline: timeline)
        }
    }

    private mutating func pause() -> Bool {
        let watch = self.watch ?? calls.watchDevices()
        self.watch = watch
        switch watch.wait(stop: stop.descriptor, milliseconds: Int(backoff.next() * 1000)) {
        case .stopped: return false
        case .changed:
            backoff.reset()
            asksFallback = true
        case .timedOut: break
        }
        return true
    }
}

/// Decides when a loss is reported: when it happens, and again only if the new reason needs a person.
///
/// While a camera is away each try fails anew, for reasons that follow from one another (unplugged, not found) or pass
/// by themselves (no permission yet, because udev is still at work). Those stay quiet.
struct LossReport {
    /// How long another reason must hold before it is reported, in nanoseconds.
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

    /// The camera was lost, or a try to get it back failed.
    ///
    /// - Parameters:
    ///   - reason: the kind of failure.
    ///   - now: the monotonic clock in nanoseconds.
    /// - Returns: whether to report it.
    mutating func failed(_ reason: SourceFailure.Reason, now: Int64) -> Bool {
        guard let reported else {
            self.reported = reason
            return true
        }
        guard reason != reported, Self.persistentReasons.contains(reason) else {
            pending = nil
            return false
        }
        guard let pending, pending.reason == reason else {
            pending = (reason, now)
            return false
        }
        guard now - pending.since >= Self.settling else { return false }
        self.reported = reason
        self.pending = nil
        return true
    }
}
