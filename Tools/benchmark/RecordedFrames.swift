import FaceMetadata
import Foundation
import Frames
import MediaFiles

/// A clip's frames in memory, so that decoding is no part of what is measured.
final class RecordedFrames: Sendable {
    /// Eight seconds at 30 frames a second.
    private static let limit = 240

    let frames: [Frame]

    init(_ path: String) throws {
        let source = try ClipSource(path, options: FrameSourceOptions(pace: .asap))
        let mailbox = FrameMailbox(policy: .every(capacity: 2))
        let thread = Thread { source.run(into: mailbox) }
        thread.start()
        var frames: [Frame] = []
        events: while let event = mailbox.next() {
            switch event {
            case .frame(let frame):
                frames.append(frame)
                if frames.count == Self.limit { source.stop() }
            case .ended: break events
            case .streaming, .lost: continue
            }
        }
        self.frames = Array(frames.prefix(Self.limit))
    }

    /// Delivers the frames as a source would, in a round after which time has gone on.
    func play(into mailbox: FrameMailbox, round: Int) {
        let length = (frames.last?.stamp.mediaTime ?? 0) + 1.0 / 30
        for frame in frames {
            var frame = frame
            frame.captured = .now
            frame.stamp.mediaTime += Double(round) * length
            frame.stamp.frame += round * frames.count
            mailbox.put(.frame(frame))
        }
        mailbox.put(.ended(.finished))
    }
}
