import Synchronization
import System
import SystemPackage

/// A V4L2 camera as a source of frames that is opened again, within half a second, after every loss.
///
/// `.streaming` comes with the first frame after each opening; `.lost` once, and again only for a reason that a person
/// must remove (`busy`, `permission_denied`, …). Frame numbers and media time continue over losses. Captured frames are
/// those taken, late and corrupt ones added up; sequence gaps come on top.
package final class CameraSource: FrameSource {
    let configuration: CameraConfiguration
    let options: FrameSourceOptions
    let calls: any V4L2Calls
    let stopWaker: Waker
    private let isStopped = StopSignal(false)
    private let memory: CameraMemory
    private let fallback: Fallback?
    private let successor = Mutex<(any FrameSource)?>(nil)

    /// The reports of losses: of reasons that do not go away by themselves. While a camera is away the reason of each
    /// try changes: unplugged, then not found, then no permission until udev has finished.
    private static let report = LossReport(
        settling: 3_000_000_000,
        reasons: [.permissionDenied, .busy, .notACamera, .unsupportedMode, .unsupportedControl]
    )

    /// Makes the source that takes over if `auto` finds only cameras that libcamera sets up; nil if there is none.
    package typealias Fallback = @Sendable () -> (any FrameSource)?

    /// Makes a source that continues from what an earlier one knew. `fallback` is used where V4L2 has no camera.
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

    /// Delivers frames and changes of state until `stop`; blocks. It ends by itself only at the start: for settings
    /// that the camera can't fulfil, a node that is no camera, and, unless `waitsForCamera`, any other reason.
    package func run(into mailbox: FrameMailbox) {
        var known = memory.content.withLock(\.self)
        var nodesWithoutFallback: [String]?
        // Nothing announces a camera that is back, so it is tried again within the longest wait.
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

    /// Opens the camera and delivers its frames until it is stopped.
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

    /// The source to use instead of a camera; nil if there is none, and for nodes for which there was none before.
    private func follow(_ nodes: inout [String]?) -> (any FrameSource)? {
        let found = calls.nodes()
        guard found != nodes, let next = fallback?() else {
            nodes = found
            return nil
        }
        successor.withLock { $0 = next }
        // A stop before that did not reach it.
        if isStopped.isSet { next.stop() }
        return next
    }

    /// Ends `run` within milliseconds, whatever it is waiting for.
    package func stop() {
        isStopped.set()
        stopWaker.wake()
        successor.withLock(\.self)?.stop()
    }
}
