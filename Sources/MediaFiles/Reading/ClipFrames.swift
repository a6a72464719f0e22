import System

/// A clip's frames, one after the other, decoded a little ahead on a thread of its own.
package final class ClipFrames {
    /// Frames decoded ahead.
    private static let ahead = 4
    package let description: StreamDescription?
    private let source: ClipSource
    private let mailbox = FrameMailbox(policy: .every(capacity: ClipFrames.ahead))
    private var upcoming: Frame?
    private var isOver = false

    /// Opens a clip and begins to decode it; throws `SourceFailure` if it is none.
    package init(_ path: String) throws {
        source = try ClipSource(path, options: FrameSourceOptions(pace: .asap))
        description = source.description
        _ = try JoinableThread(named: "clip") { [source, mailbox] in source.run(into: mailbox) }
    }

    deinit {
        source.stop()
        mailbox.close()
    }

    /// The next frame, nil at the end; blocks while it is decoded, and throws if the clip is damaged or cut off.
    package func next() throws(SourceFailure) -> Frame? {
        if let frame = upcoming.take() { return frame }
        while !isOver, let event = mailbox.next() {
            if case .frame(let frame) = event { return frame }
            guard case .ended(let end) = event else { continue }
            isOver = true
            if case .failed(let failure) = end { throw failure }
        }
        return nil
    }

    /// The last frame up to a time of the clip, in seconds, if there is one after those that were already taken.
    package func frame(upTo mediaTime: Double) throws(SourceFailure) -> Frame? {
        var latest: Frame?
        while let frame = try next() {
            guard frame.stamp.mediaTime <= mediaTime else {
                upcoming = frame
                break
            }
            latest = frame
        }
        return latest
    }

    /// Whether all frames were taken, to the clip's own end.
    package var isFinished: Bool { isOver && upcoming == nil }
}
