/// The frames of a clip in order, decoded slightly ahead by a separate thread.
package final class ClipFrames {
    /// The number of frames that are decoded ahead.
    private static let ahead = 4
    package let description: StreamDescription?
    private let source: ClipSource
    private let mailbox = FrameMailbox(policy: .every(capacity: ClipFrames.ahead))
    private var upcoming: Frame?
    private var isOver = false

    /// Opens a clip and begins to decode it. Throws `SourceFailure` if the path is not that of a clip or picture.
    package init(_ path: String) throws {
        source = try ClipSource(path, options: FrameSourceOptions(pace: .asap))
        description = source.description
        _ = try JoinableThread(named: "clip") { [source, mailbox] in source.run(into: mailbox) }
    }

    deinit {
        source.stop()
        mailbox.close()
    }

    /// The next frame, or nil at the end. Blocks until the frame is decoded. Throws if the clip is damaged or cut off.
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

    /// Returns the clip's last frame at or before a time in seconds; nil if that frame has already been returned.
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

    /// Whether all frames up to the end of the clip were returned.
    package var isFinished: Bool { isOver && upcoming == nil }
}
