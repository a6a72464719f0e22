import Companion
import FaceMetadata
import Foundation
import Frames
import MediaFiles

/// A clip's frames, one after the other, decoded a little ahead on a thread of its own.
final class ClipFrames {
    /// Frames decoded ahead.
    private static let ahead = 4
    /// The clip's form.
    let description: StreamDescription?
    private let source: ClipSource
    private let mailbox = FrameMailbox(policy: .every(capacity: ClipFrames.ahead))
    private var upcoming: Frame?
    private var isOver = false

    /// Opens a clip and begins to decode it; throws `CommandFailure` if it is none.
    init(_ path: String) throws {
        source = try ClipSource(path, options: FrameSourceOptions(pace: .asap))
        description = source.description
        let (source, mailbox) = (source, mailbox)
        let thread = Thread { source.run(into: mailbox) }
        thread.name = "clip"
        thread.start()
    }

    deinit {
        source.stop()
        mailbox.close()
    }

    /// The next frame, nil at the end; blocks while it is decoded, and throws if the clip is damaged or cut off.
    func next() throws -> Frame? {
        if let frame = upcoming {
            upcoming = nil
            return frame
        }
        while !isOver, let event = mailbox.next() {
            switch event {
            case .frame(let frame): return frame
            case .ended(.failed(let failure)):
                isOver = true
                throw CommandFailure(failure.description)
            case .ended: isOver = true
            case .streaming, .lost: break
            }
        }
        return nil
    }

    /// The last frame up to a time of the clip, in seconds, if there is one after those that were already taken.
    func frame(upTo mediaTime: Double) throws -> Frame? {
        var latest: Frame?
        while let frame = try next() {
            // Messages carry the time rounded; the frame they are about must not be missed for that.
            guard frame.stamp.mediaTime <= mediaTime + 0.0005 else {
                upcoming = frame
                break
            }
            latest = frame
        }
        return latest
    }

    /// Whether all frames were taken, to the clip's own end.
    var isFinished: Bool { isOver && upcoming == nil }
}
