public import Frames
import SystemPackage

/// A V4L2 camera as a source of frames, which comes back by itself after every loss.
///
/// The events in the mailbox: `.streaming` with the first frame after each (re)opening; `.lost` when frames stop coming,
/// once, and once more only if getting the camera back turns out to need somebody's hand (`busy`, `permission_denied`, …);
/// `.ended` at the end. While the camera is away it is tried again when a node appears, and at least once a second.
/// Frame numbers and media time go on over losses. With the `.newest` policy, captured frames are those taken, late and
/// corrupt ones added up; sequence gaps come beside them.
public final class CameraSource: FrameSource {
    private let configuration: CameraConfiguration
    private let calls: any V4L2Calls
    private let stopSignal: StopSignal

    /// Makes a source; the camera is not touched before `run`.
    ///
    /// - Throws: `V4L2Error.failed` if the process has no file descriptor left.
    public convenience init(_ configuration: CameraConfiguration) throws(V4L2Error) {
        try self.init(configuration, calls: LibV4L2())
    }

    init(_ configuration: CameraConfiguration, calls: any V4L2Calls) throws(V4L2Error) {
        self.configuration = configuration
        self.calls = calls
        do {
            stopSignal = try StopSignal()
        } catch {
            throw V4L2Error(.open, device: configuration.device.description, error)
        }
    }

    /// Delivers frames and changes of state until `stop`; blocks.
    ///
    /// Ends by itself only at the start: for settings that the camera can't fulfil, a node that is no camera, and, unless
    /// the configuration says to wait, any other reason why there is no camera.
    public func run(into mailbox: FrameMailbox) {
        var run = CameraRun(configuration, calls, stopSignal, mailbox)
        let end = run.untilEnd()
        mailbox.put(.ended(end))
    }

    /// Makes `run` end within milliseconds, whatever it waits for.
    public func stop() {
        stopSignal.raise()
    }
}
