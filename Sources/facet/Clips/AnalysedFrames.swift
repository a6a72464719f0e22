import FaceInference
import FaceMessages
import FaceMetadata
import FaceTracking
import Foundation
import Frames
import OverlayRendering

/// A frame with the faces in it.
struct AnalysedFrame: Sendable {
    /// The frame.
    var frame: Frame

    /// All faces in it, where they are in this very frame.
    var faces: [FaceObject]

    /// What happened.
    var events: [FaceEvent]

    /// What stands for the camera's name in the messages about a file.
    static let camera = "file"

    private static let origin = MessageOrigin(camera: camera, boot: "file")

    /// What a daemon would publish about it.
    var messages: [DecodedMessage] {
        [.metadata(MetadataMessage(origin: Self.origin, stamp: frame.stamp, faces: faces))]
            + events.map { .event(EventMessage(origin: Self.origin, id: "", seq: 0, event: $0, latency: nil)) }
    }

    /// Makes it what the scene shows.
    func apply(to scene: inout Scene) {
        for message in messages { scene.apply(message, at: frame.stamp.mediaTime) }
    }
}

/// Finds the faces in the frames of a file, each frame's own: no deadband holds them back.
///
/// Not Sendable: one thread owns it.
final class FrameAnalyser {
    private let analyzer: FaceAnalyzer
    private var tracker = FaceTracker()

    /// Loads the models.
    ///
    /// - Throws: `CommandFailure` if one is missing or damaged.
    init() throws {
        do {
            analyzer = try FaceAnalyzer()
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// Finds the faces in the next frame.
    func analyse(_ frame: Frame) throws -> AnalysedFrame {
        do {
            let update = tracker.advance(to: frame.stamp, with: try analyzer.analyze(frame).observations)
            return AnalysedFrame(frame: frame, faces: update.faces, events: update.events)
        } catch {
            throw CommandFailure("cannot look for faces: \(error)")
        }
    }

    /// Finds the faces in a single picture, which is looked at as often as it takes until a face counts as there.
    func analyse(still frame: Frame) throws -> AnalysedFrame {
        var result = AnalysedFrame(frame: frame, faces: [], events: [])
        for number in 0..<8 {
            let stamp = FrameStamp(frame: number, time: frame.stamp.time, mediaTime: Double(number) / 30)
            do {
                let update = tracker.advance(to: stamp, with: try analyzer.analyze(frame).observations)
                result.faces = update.faces
            } catch {
                throw CommandFailure("cannot look for faces: \(error)")
            }
        }
        return result
    }
}

/// The frames of a clip with their faces, found ahead on a thread of its own, so that drawing and finding share the work.
final class AnalysedFrames {
    /// Frames analysed ahead.
    private static let ahead = 3

    /// What the two threads share.
    ///
    /// `@unchecked Sendable` because everything in it is only touched with the condition locked.
    private final class Queue: @unchecked Sendable {
        private let condition = NSCondition()
        private var results: [Result<AnalysedFrame, any Error>] = []
        private var isOver = false
        private var isWhole = false

        /// Adds a result when there is room.
        ///
        /// - Returns: whether more are wanted.
        func put(_ result: Result<AnalysedFrame, any Error>) -> Bool {
            condition.withLock {
                while results.count >= AnalysedFrames.ahead, !isOver { condition.wait() }
                guard !isOver else { return false }
                results.append(result)
                condition.signal()
                return true
            }
        }

        /// The next result; nil at the end.
        func take() -> Result<AnalysedFrame, any Error>? {
            condition.withLock {
                while results.isEmpty, !isOver { condition.wait() }
                guard !results.isEmpty else { return nil }
                condition.signal()
                return results.removeFirst()
            }
        }

        /// Nothing is added any more.
        ///
        /// - Parameter isWhole: whether the clip came to its own end.
        func finish(isWhole: Bool) {
            condition.withLock {
                isOver = true
                self.isWhole = isWhole
                condition.broadcast()
            }
        }

        /// Whether the clip came to its own end and all was taken.
        var isFinished: Bool { condition.withLock { isOver && isWhole && results.isEmpty } }
    }

    /// The clip's form, if it says.
    let description: StreamDescription?

    /// Ends the clip before its end, from any thread.
    let stop: @Sendable () -> Void

    private let queue = Queue()

    /// Opens a clip and begins to look for faces.
    ///
    /// - Throws: `CommandFailure` if it is none, or the models are missing.
    init(_ path: String) throws {
        let frames = try ClipFrames(path)
        let analyser = try FrameAnalyser()
        description = frames.description
        stop = frames.stop
        let queue = queue
        // Both are handed to the thread and used by nobody else.
        nonisolated(unsafe) let work = (frames, analyser)
        let thread = Thread {
            let (frames, analyser) = work
            do {
                while let frame = try frames.next() {
                    guard queue.put(.success(try analyser.analyse(frame))) else { break }
                }
            } catch {
                _ = queue.put(.failure(error))
            }
            queue.finish(isWhole: frames.isFinished)
        }
        thread.name = "faces"
        thread.start()
    }

    deinit {
        stop()
        queue.finish(isWhole: false)
    }

    /// The next frame; blocks while its faces are found. Nil at the end.
    ///
    /// - Throws: `CommandFailure` if the clip is damaged or cut off; the frames before stand.
    func next() throws -> AnalysedFrame? { try queue.take()?.get() }

    /// Whether all frames were taken, to the clip's own end.
    var isFinished: Bool { queue.isFinished }
}
