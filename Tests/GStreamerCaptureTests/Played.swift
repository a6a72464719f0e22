import FaceMetadata
import Foundation
import Frames
import System

@testable import GStreamerCapture

/// What a source delivered until it ended.
struct Played {
    /// Whether the machine has GStreamer with its base elements.
    static let isInstalled = PipelineDescription.pipeline("videotestsrc").isInstalled

    private(set) var streams: [StreamDescription] = []
    private(set) var stamps: [FrameStamp] = []
    private(set) var captures: [ContinuousClock.Instant] = []
    private(set) var losses: [SourceFailure] = []
    private(set) var end: SourceEvent.End?
    private(set) var counts: FrameMailbox.Counts?
    /// The middle of the last picture, 0 to 255.
    private(set) var lastColour: (red: Int, green: Int, blue: Int)?
    /// Whether a frame's memory was the pipeline's.
    private(set) var wasLent = false

    /// Plays a pipeline as fast as possible.
    init(_ pipeline: String) throws {
        self.init(try PipelineSource(.pipeline(pipeline), options: .asap))
    }

    /// Plays a source to its end, or until it has delivered so much.
    init(
        _ source: any FrameSource,
        _ mailbox: FrameMailbox = FrameMailbox(policy: .every(capacity: 2)),
        stopAfter frames: Int = .max,
        stopAfterStreams: Int = .max,
        stopAfterLosses: Int = .max
    ) {
        let thread = Thread { try? source.run(into: mailbox) }
        thread.start()
        while end == nil, let event = mailbox.next() {
            switch event {
            case .streaming(let stream): streams.append(stream)
            case .frame(let frame):
                stamps.append(frame.stamp)
                captures.append(frame.captured)
                if frame.lease is PictureLease { wasLent = true }
                if let picture = try? frame.rgb() {
                    let middle = 3 * (picture.size.height / 2 * picture.size.width + picture.size.width / 2)
                    let bytes = picture.bytes[middle..<middle + 3].map(Int.init)
                    lastColour = (bytes[0], bytes[1], bytes[2])
                }
            case .lost(let failure): losses.append(failure)
            case .ended(let end): self.end = end
            }
            if stamps.count >= frames || streams.count >= stopAfterStreams || losses.count >= stopAfterLosses {
                source.stop()
            }
        }
        counts = mailbox.counts
    }
}

extension FrameSourceOptions {
    static var asap: Self { Self(pace: .asap) }
}

extension PipelineDescription {
    /// A pipeline that counts as a camera.
    static func camera(_ pipeline: String) -> PipelineDescription {
        PipelineDescription(name: "test camera", text: Secret(partly: pipeline), isCamera: true)
    }
}
