/// Where frames come from: a camera, a clip, a stream, a program's own pictures.
///
/// A session runs a source on a thread of its own, so it may block.
public protocol FrameSource: AnyObject, Sendable {
    /// Delivers frames until the source ends, it is stopped, or `put` returns false.
    ///
    /// It puts `.streaming` before the first frame, and again whenever what it says has changed or frames come again after
    /// `.lost`. What it puts last is `.ended`; a source that just returns came to its end. On a source
    /// of a program's own each run of a session, and each end of a pause, calls it again; Facet's own run once.
    func run(into mailbox: FrameMailbox)

    /// Makes the `run` in progress end soon; can be called from any thread, and while `run` is not running.
    ///
    /// A call that comes before `run` need not be remembered: a session calls this until `run` has returned. A source that only waits
    /// in `put` need do nothing: the session closes the mailbox, and `put` returns false.
    func stop()
}
