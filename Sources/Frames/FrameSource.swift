/// A source of frames: a camera, a clip, a stream, a program's own pictures.
///
/// A session runs a source on a thread of its own, so it may block.
public protocol FrameSource: AnyObject, Sendable {
    /// Delivers frames until the source ends, it is stopped, or `put` returns false.
    ///
    /// It puts `.streaming` before the first frame, and again when the description has changed or frames come after
    /// `.lost`. It puts `.ended` last; a source that just returns came to its end. A program's own source is called
    /// again by each run of a session and at each end of a pause; Facet's own sources run once.
    func run(into mailbox: FrameMailbox)

    /// Ends the `run` in progress soon; may be called from any thread, and while `run` is not running.
    ///
    /// A call before `run` need not be remembered: a session repeats it until `run` has returned. A source that only
    /// waits in `put` need do nothing: the session closes the mailbox, and `put` returns false.
    func stop()
}
