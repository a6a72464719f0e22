import Frames

/// One run of a camera source: open, stream, lose, wait, open again.
struct CameraRun {
    private let configuration: CameraConfiguration
    private let calls: any V4L2Calls
    private let stop: StopSignal
    private let mailbox: FrameMailbox
    private let finder: DeviceFinder

    private var timeline = FrameTimeline()
    private var report = LossReport()
    private var backoff = ReopenBackoff()
    private var lastSeen: V4L2Device.Identity?
    /// Made at the first loss: who never loses a camera needs none.
    private var watch: (any DeviceWatch)?

    init(
        _ configuration: CameraConfiguration,
        _ calls: any V4L2Calls,
        _ stop: StopSignal,
        _ mailbox: FrameMailbox
    ) {
        self.configuration = configuration
        self.calls = calls
        self.stop = stop
        self.mailbox = mailbox
        finder = DeviceFinder(selector: configuration.device, calls: calls)
    }

    /// Goes on until the source is stopped or can't even start.
    mutating func untilEnd() -> SourceEnd {
        while true {
            guard case .lost(let failure) = streamOnce() else { return .stopped }
            guard lastSeen != nil || configuration.waitsForCamera && !failure.isMisconfiguration else {
                return .failed(failure.sourceFailure)
            }
            if report.failed(failure.reason, now: calls.now().monotonic) {
                guard mailbox.put(.lost(failure.sourceFailure)) else { return .stopped }
            }
            guard pause() else { return .stopped }
        }
    }

    /// Opens the camera and streams from it for as long as it goes.
    private mutating func streamOnce() -> CaptureLoop.End {
        do throws(V4L2Error) {
            let found = try finder.open(lastSeen: lastSeen)
            let stream = try CaptureStream(found.device, configuration)
            var loop = CaptureLoop(stream, configuration, timeline, stop: stop, mailbox: mailbox)
            let end = loop.run()
            stream.close()
            timeline = loop.timeline
            if loop.hasDelivered {
                lastSeen = found.identity
                report.streaming()
                backoff.reset()
            }
            return end
        } catch {
            return .lost(error)
        }
    }

    /// Waits before the next try; false if the source is to stop.
    private mutating func pause() -> Bool {
        let watch = self.watch ?? calls.watchDevices()
        self.watch = watch
        switch watch.wait(stop: stop.descriptor, milliseconds: backoff.wait()) {
        case .stopped: return false
        case .changed: backoff.reset()
        case .timedOut: break
        }
        return true
    }
}
