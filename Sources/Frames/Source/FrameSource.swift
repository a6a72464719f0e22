/// A source of frames: a camera, a clip, a network stream, or pictures that the calling program makes.
///
/// A session runs a source on a thread of its own, so the source may block.
public protocol FrameSource: AnyObject, Sendable {
    /// Delivers frames until the source ends, `stop` is called, or `put` returns false.
    ///
    /// It puts `.streaming` before the first frame, after each `.lost`, and whenever the description has changed. A
    /// source that has reached its end just returns. One that cannot go on puts `.ended` before it returns.
    ///
    /// A session calls it again after an error, at each end of a pause, and in each run of the session. Stamps must
    /// increase across these calls. Facet's own sources are called once, and reopen their camera themselves.
    /// - Throws: The reason why there are no frames for now. The session reports it, and retries after 0.5 to 30 s.
    func run(into mailbox: FrameMailbox) throws(SourceFailure)

    /// Makes the current `run` end soon. It may be called from any thread, even while `run` is not running.
    ///
    /// A call before `run` need not be remembered, because a session repeats it until `run` has returned. A source that
    /// only waits in `put` need not do anything: the session closes the mailbox, and `put` returns false.
    func stop()
}
