import Dispatch
import FaceMetadata
import Foundation
import Frames

@testable import MediaFiles

/// Everything a source told, for tests: frames without their pixels, so that the decoder's memory is free again.
struct Recording {
    var streams: [StreamDescription] = []
    var stamps: [FrameStamp] = []
    var formats: Set<PixelFormat> = []
    var orientations: Set<Orientation> = []
    var memories: Set<UnsafeRawPointer> = []
    var losses: [SourceFailure] = []
    var ends: [SourceEvent.End] = []
    var counts = FrameMailbox(policy: .newest).counts

    /// Plays a source to its end, taking every frame.
    static func of(_ source: ClipSource, visit: @escaping (Frame) -> Void = { _ in }) -> Recording {
        let mailbox = FrameMailbox(policy: .every(capacity: 2))
        Thread.detachNewThread { source.run(into: mailbox) }
        var recording = Recording()
        while recording.ends.isEmpty, let event = mailbox.next() {
            recording.note(event, visit: visit)
        }
        recording.counts = mailbox.counts
        return recording
    }

    /// Plays a file as fast as possible.
    static func of(
        _ path: String,
        options: FrameSourceOptions = .init(pace: .asap),
        visit: @escaping (Frame) -> Void = { _ in }
    ) throws -> Recording {
        of(try ClipSource(path, options: options), visit: visit)
    }

    private mutating func note(_ event: SourceEvent, visit: (Frame) -> Void) {
        switch event {
        case .streaming(let description): streams.append(description)
        case .frame(let frame):
            stamps.append(frame.stamp)
            formats.insert(frame.format)
            orientations.insert(frame.orientation)
            memories.insert(frame.planes.first.base)
            visit(frame)
        case .lost(let failure): losses.append(failure)
        case .ended(let end): ends.append(end)
        }
    }

    /// The first description of the stream.
    var stream: StreamDescription? { streams.first }

    /// The failure that the source ended with, if it did.
    var failure: SourceFailure? {
        if case .failed(let failure)? = ends.last { failure } else { nil }
    }

    /// Whether the source ended as a clip that was played to its end.
    var isFinished: Bool {
        if case .finished? = ends.last { true } else { false }
    }

    /// Whether the source ended because it was told to.
    var isStopped: Bool {
        if case .stopped? = ends.last { true } else { false }
    }

    var mediaTimes: [Double] { stamps.map(\.mediaTime) }
}

extension ClipSource {
    /// Runs on a thread of its own.
    func start() -> FrameMailbox {
        let mailbox = FrameMailbox(policy: .newest)
        Thread.detachNewThread { self.run(into: mailbox) }
        return mailbox
    }
}
