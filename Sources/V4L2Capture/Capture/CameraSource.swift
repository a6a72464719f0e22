import System
import SystemPackage

/// A source of frames from a V4L2 camera. After a loss it tries to open the camera again, at least every half second.
///
/// It reports `.streaming` with the first frame after each opening, and `.lost` after each loss. `.lost` is repeated
/// only for a reason that a person must remedy, such as `busy`. Frame numbers and media time continue after a loss.
package final class CameraSource: FrameSource {
    let configuration: CameraConfiguration
    let options: FrameSourceOptions
    let calls: any V4L2Calls
    let stopWaker: Waker
    private let isStopped = StopSignal(false)
    private let memory: CameraMemory
    private let fallback: Fallback?
    private let successor = Mutex<(any FrameSource)?>(nil)

    /// Decides which failures are reported: after the first, only those that a person must remedy. While a camera is
    /// away, the attempts fail for changing reasons: unplugged, not found, no permission until udev has finished.
    private static let report = LossReport(
        settling: 3_000_000_000,
        reasons: [.permissionDenied, .busy, .notACamera, .unsupportedMode, .unsupportedControl]
    )

    /// Makes a source to use instead if `auto` finds only cameras that need libcamera; returns nil if there is none.
    package typealias Fallback = @Sendable () -> (any FrameSource)?

    /// Makes a source that uses an earlier source's `memory`. `fallback` is used if all cameras need libcamera.
    /// - Throws: `V4L2Error.failed` if the process has no file descriptor left.
    package init(
        _ configuration: CameraConfiguration,
        _ options: FrameSourceOptions = FrameSourceOptions(),
        memory: CameraMemory = CameraMemory(),
        calls: any V4L2Calls = LibV4L2(),
        fallback: Fallback? = nil
    ) throws(V4L2Error) {
        self.configuration = configuration
        self.options = options
        self.memory = memory
        self.calls = calls
        self.fallback = fallback
        let device = configuration.device.description
        do { stopWaker = try Waker() } catch { throw V4L2Error(.open, device: device, Errno(rawValue: error.code)) }
    }

    /// Delivers frames and changes of state until `stop`; blocks. It ends earlier only at the start: if the settings do
    /// not fit the camera, if the node is no camera, or, without `waitsForCamera`, if the camera cannot be used.
    package func run(into mailbox: FrameMailbox) {
        var known = memory.content.withLock(\.self)
        var nodesWithoutFallback: [String]?
        // The return of a camera is not announced, so the camera is tried again within half a second.
        var runner = SourceRunner(into: mailbox, until: isStopped, waiting: 0.25...0.5)
        runner.report = Self.report
        runner.spread = 1...1
        runner.now = { [calls] in calls.now().monotonic }
        // There is no device to wait for; if the wait fails, the next try is only earlier.
        runner.wait = { [calls, stopWaker] time in
            (try? calls.wait(-1, stop: stopWaker.descriptor, milliseconds: Int(time / .milliseconds(1)))) != .stopped
        }
        runner.run { () throws(SourceFailure) in
            do throws(V4L2Error) {
                try stream(into: mailbox, &known)
                return .stopped
            } catch {
                if case .setUpElsewhere = error, let next = follow(&nodesWithoutFallback) {
                    try next.run(into: mailbox)
                    return .finished
                }
                // Before this very configuration has streamed, the camera may be unable to fulfil it.
                let waits = configuration.waitsForCamera && !error.isMisconfiguration
                guard waits || known.configuration == configuration else { return .failed(error.sourceFailure) }
                throw error.sourceFailure
            }
        }
    }

    /// Opens the camera and delivers its frames until the source is stopped.
    /// - Throws: `V4L2Error` when the camera is lost.
    private func stream(into mailbox: FrameMailbox, _ known: inout CameraMemory.Content) throws(V4L2Error) {
        let lastSeen = known.configuration?.device == configuration.device ? known.identity : nil
        let finder = DeviceFinder(selector: configuration.device, calls: calls)
        let stream = try finder.open(lastSeen: lastSeen) { device throws(V4L2Error) in
            try CaptureStream(device, configuration, options.wholeOrientation)
        }
        var loop = CaptureLoop(stream: stream, source: self, mailbox: mailbox, timeline: known.timeline)
        defer {
            known.timeline = loop.timeline
            if loop.hasDelivered {
                known.configuration = configuration
                known.identity = stream.device.identity
                memory.content.withLock { $0 = known }
            }
        }
        try loop.run()
    }

    /// Returns the source that replaces a camera which needs libcamera; nil if there is none. `nodes` are the video
    /// nodes of the last search without a result. The search is repeated only when the nodes have changed.
    private func follow(_ nodes: inout [String]?) -> (any FrameSource)? {
        let found = calls.nodes()
        guard found != nodes, let next = fallback?() else {
            nodes = found
            return nil
        }
        successor.withLock { $0 = next }
        // `stop` may have been called before the new source was stored.
        if isStopped.isSet { next.stop() }
        return next
    }

    /// Makes `run` return within milliseconds, whatever it is waiting for.
    package func stop() {
        isStopped.set()
        stopWaker.wake()
        successor.withLock(\.self)?.stop()
    }
}
