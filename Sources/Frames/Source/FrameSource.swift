/// A source of frames: a camera, a clip, a stream, a program's own pictures.
///
/// A session runs a source on a thread of its own, so it may block.
public protocol FrameSource: AnyObject, Sendable {
    /// Delivers frames until the source ends, it is stopped, or `put` returns false.
    ///
    /// It puts `.streaming` before the first frame, and again when the description has changed or frames come after
    /// `.lost`. A source that just returns came to its end; one that cannot go on puts `.ended` first.
    ///
    /// A session calls it again after an error, at each end of a pause, and in each of its runs; stamps go on growing
    /// then. Facet's own sources run once, and open their camera again themselves.
    /// - Throws: Why there are no frames until further notice. The session says so, waits from half a second to half a
    ///   minute, longer each time, and calls it again.
    func run(into mailbox: FrameMailbox) throws(SourceFailure)

    /// Ends the `run` in progress soon; may be called from any thread, and while `run` is not running.
    ///
    /// A call before `run` need not be remembered: a session repeats it until `run` has returned. A source that only
    /// waits in `put` need do nothing: the session closes the mailbox, and `put` returns false.
    func stop()
}
