package import Frames
import Synchronization
import System
import SystemPackage

/// A V4L2 camera as a source of frames that opens it again after every loss.
///
/// It puts into the mailbox: `.streaming` with the first frame after each (re)opening; `.lost` when frames stop coming,
/// once, and again only for a new reason that a person must remove (`busy`, `permission_denied`, …); `.ended` at the
/// end. While the camera is away it is tried at least twice a second. Frame numbers and media time continue over
/// losses. With the `.newest` policy, captured frames are those taken, late and corrupt ones added up; sequence gaps
/// come on top.
package final class CameraSource: FrameSource {
    let configuration: CameraConfiguration
    let options: FrameSourceOptions
    let calls: any V4L2Calls
    let stopWaker: Waker
    let memory: CameraMemory
    private let fallback: Fallback?
    private let successor = Mutex<(source: (any FrameSource)?, isStopped: Bool)>((nil, false))

    /// Makes the source that takes over if `auto` finds only cameras that libcamera sets up; nil if there is none.
    package typealias Fallback = @Sendable () -> (any FrameSource)?

    /// Makes a source that continues from what an earlier one knew, with a `fallback` where V4L2 has no camera; the
    /// camera is not touched before `run`.
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
    /// It ends by itself only at the start: for settings that the camera can't fulfil, a node that is no camera, and,
    /// unless the configuration says to wait, any other reason why there is no camera.
    package func run(into mailbox: FrameMailbox) {
        var run = CameraRun(source: self, mailbox: mailbox, known: memory.content.withLock(\.self))
        if let end = run.untilEnd() { mailbox.put(.ended(end)) }
    }

    /// Runs the fallback, unless it had no source while the nodes were the same.
    /// - Returns: Whether there was one.
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

    /// Ends `run` within milliseconds, whatever it waits for.
    package func stop() {
        stopWaker.wake()
        successor.withLock { successor in
            successor.isStopped = true
            successor.source?.stop()
        }
    }
}
