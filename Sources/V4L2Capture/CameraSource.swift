package import Frames
import Synchronization
import System
import SystemPackage

/// What is known of a camera that was in use, for the next source that is made for it.
///
/// So a camera that was closed for a while is found again under another number, and waited for as after a loss.
package final class CameraMemory: Sendable {
    struct Content: Sendable {
        /// What was asked for when it streamed last.
        var configuration: CameraConfiguration?
        var identity: V4L2Device.Identity?
        var timeline = FrameTimeline()
    }

    let content = Mutex(Content())

    package init() {}
}

/// A V4L2 camera as a source of frames, which is opened again after every loss.
///
/// The events in the mailbox: `.streaming` with the first frame after each (re)opening; `.lost` when frames stop coming,
/// once, and once more only for a new reason that a person must remove (`busy`, `permission_denied`, …);
/// `.ended` at the end. While the camera is away it is tried again at least twice a second.
/// Frame numbers and media time continue over losses. With the `.newest` policy, captured frames are those taken, late and
/// corrupt ones added up; sequence gaps come beside them.
package final class CameraSource: FrameSource {
    let configuration: CameraConfiguration
    let options: FrameSourceOptions
    let calls: any V4L2Calls
    let stopWaker: Waker
    let memory: CameraMemory
    private let fallback: Fallback?
    private let successor = Mutex<(source: (any FrameSource)?, isStopped: Bool)>((nil, false))

    /// Makes the source that goes on where `auto` finds no camera but one that only libcamera can set up; nil if there is none.
    package typealias Fallback = @Sendable () -> (any FrameSource)?

    /// Makes a source; the camera is not touched before `run`.
    ///
    /// - Parameters:
    ///   - configuration: Which camera to use, and how.
    ///   - options: How its pictures are turned, and when it counts as lost.
    ///   - memory: What an earlier source knew of the camera; this one continues with it.
    ///   - fallback: What to do without a camera of V4L2.
    /// - Throws: `V4L2Error.failed` if the process has no file descriptor left.
    package convenience init(
        _ configuration: CameraConfiguration,
        _ options: FrameSourceOptions = FrameSourceOptions(),
        memory: CameraMemory = CameraMemory(),
        fallback: Fallback? = nil
    ) throws(V4L2Error) {
        try self.init(configuration, options, memory: memory, calls: LibV4L2(), fallback: fallback)
    }

    init(
        _ configuration: CameraConfiguration,
        _ options: FrameSourceOptions = FrameSourceOptions(),
        memory: CameraMemory = CameraMemory(),
        calls: any V4L2Calls,
        fallback: Fallback? = nil
    ) throws(V4L2Error) {
        self.fallback = fallback
        self.configuration = configuration
        self.options = options
        self.memory = memory
        self.calls = calls
        do {
            stopWaker = try Waker()
        } catch {
            throw V4L2Error(.open, device: configuration.device.description, Errno(rawValue: error.code))
        }
    }

    /// Delivers frames and changes of state until `stop`; blocks.
    ///
    /// Ends by itself only at the start: for settings that the camera can't fulfil, a node that is no camera, and, unless
    /// the configuration says to wait, any other reason why there is no camera.
    package func run(into mailbox: FrameMailbox) {
        var run = CameraRun(self, mailbox)
        if let end = run.untilEnd() { mailbox.put(.ended(end)) }
    }

    /// Runs what goes on in this source's place, unless there was nothing when the nodes were the same.
    ///
    /// - Returns: Whether there was any.
    func goesOn(into mailbox: FrameMailbox, _ nodes: inout [String]?) -> Bool {
        let found = calls.nodes()
        guard found != nodes, let next = fallback?() else {
            nodes = found
            return false
        }
        successor.withLock { successor in
            successor.source = next
            if successor.isStopped { next.stop() }
        }
        next.run(into: mailbox)
        return true
    }

    /// Makes `run` end within milliseconds, whatever it waits for.
    package func stop() {
        stopWaker.wake()
        successor.withLock { successor in
            successor.isStopped = true
            successor.source?.stop()
        }
    }
}

/// Which camera to use, and how.
public struct CameraConfiguration: Hashable, Sendable {
    /// Which camera.
    public var device: DeviceSelector

    /// Size, rate and format, as far as they are not left to the negotiation.
    public var request: CaptureRequest

    /// How many buffers the driver fills in turn, at least 2.
    ///
    /// The default is 5: one is being read, one waits to be, one has just come, and two must be left for the driver to fill.
    public var bufferCount: Int

    /// Settings for the camera's controls, by name.
    public var controls: [String: String]

    /// Whether a camera that is away, busy or forbidden at the start is waited for.
    ///
    /// The default is true: an unattended machine may boot before its camera is there, and must not need a second boot. Settings that the camera
    /// can't fulfil and nodes that are no cameras end the source at the start either way: those are mistakes, and waiting
    /// does not help. Once frames have come, every failure is waited out: the next camera that is plugged in may be the right one.
    public var waitsForCamera: Bool

    /// Makes a configuration; the default one takes the first camera as it likes best.
    public init(
        device: DeviceSelector = .automatic,
        request: CaptureRequest = CaptureRequest(),
        bufferCount: Int = 5,
        controls: [String: String] = [:],
        waitsForCamera: Bool = true
    ) {
        self.device = device
        self.request = request
        self.bufferCount = bufferCount
        self.controls = controls
        self.waitsForCamera = waitsForCamera
    }
}
