package import Frames
import Synchronization
import System
import SystemPackage

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

    /// Makes a source that continues with what an earlier one knew; the camera is not touched before `run`. `fallback` goes on
    /// where V4L2 has none.
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

    /// Delivers frames and changes of state until `stop`; blocks.
    ///
    /// Ends by itself only at the start: for settings that the camera can't fulfil, a node that is no camera, and, unless
    /// the configuration says to wait, any other reason why there is no camera.
    package func run(into mailbox: FrameMailbox) {
        var run = CameraRun(source: self, mailbox: mailbox, known: memory.content.withLock(\.self))
        if let end = run.untilEnd() { mailbox.put(.ended(end)) }
    }

    /// Runs what goes on in this source's place, unless there was nothing when the nodes were the same.
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
