import FaceInference
import FaceMessages
import FaceMetadata
import FaceTracking
import FacetTestSupport
import Foundation
import Frames
import Synchronization
import System
import Testing

@testable import FacetKit

/// The updates of a session with the real models on a portrait; frames come from the tests.
@Suite("Updates of a face session", .serialized, .timeLimit(.minutes(5)))
struct FaceSessionUpdatesTests {
    @Test("a slow reader of a clip's updates gets every one of them")
    func backpressure() async throws {
        let portrait = try jpeg()
        let source = Script { put in for index in 0..<30 { _ = put(.jpeg(portrait, index: index)) } }
        var frames: [Int] = []
        for try await update in try await FaceSession(source: source.source).updates {
            await Task.yield()
            if let frame = update.stamp?.frame, update.captured != nil { frames.append(frame) }
        }
        #expect(frames == Array(0..<30))
    }

    @Test("a reader who stops to read keeps no more than the bound, knows what was lost, and has one frame in memory")
    func stuckReader() async throws {
        let portrait = try jpeg()
        var options = FaceSession.Options()
        options.frames = .full
        let meter = SessionMeter()
        let channel = UpdateChannel(.bounded(10), meter: meter)
        let clip = Script { put in for index in 0..<60 { _ = put(.jpeg(portrait, index: index)) } }
        // All is sent before any of it is read; each frame has news.
        try await FaceSession(source: clip.source, options: options).run { update in
            var update = update
            if let stamp = update.stamp, let face = update.faces.first, update.captured != nil {
                update.events.append(FaceEvent(kind: .smile, face: face, stamp: stamp))
            }
            _ = channel.send(update)
        }
        channel.finish(.success(nil))
        var updates: [FaceUpdate] = []
        while let update = try await channel.next().get() { updates.append(update) }
        #expect(updates.count == 10)
        #expect(updates.last?.state == .ended)
        #expect(updates.compactMap(\.frame).count <= 1)
        #expect(meter.counts.droppedUpdates + meter.counts.replacedUpdates + updates.count == 63)
    }

    @Test("a reader who stops to read misses no event of a live source, and knows of what was replaced")
    func liveUpdates() async throws {
        let portrait = try jpeg()
        let meter = SessionMeter()
        let channel = UpdateChannel(.bounded(100), meter: meter)
        let clip = Script { put in for index in 0..<30 { _ = put(.jpeg(portrait, index: index)) } }
        try await FaceSession(source: clip.source).run { _ = channel.send($0) }
        channel.finish(.success(nil))
        var updates: [FaceUpdate] = []
        while let update = try await channel.next().get() { updates.append(update) }
        #expect(short(updates) == ["enter 1", "leave 1 shutdown"])
        #expect(updates.count < 8)
        #expect(meter.counts.droppedUpdates == 0)
        #expect(meter.counts.replacedUpdates + updates.count == 33)
    }

    @Test("the loop over a clip's updates can pause, resume and stop the session it waits for")
    func pausingInLoop() async throws {
        let portrait = try jpeg()
        let source = Script { put in for index in 0..<300 where !put(.jpeg(portrait, index: index)) { return } }
        let session = try await FaceSession(source: source.source)
        // Without a run there is nothing to wait for.
        session.pause()
        await session.settled()
        session.resume()
        await session.settled()
        var states: [String] = []
        for try await update in session.updates {
            if states.last != name(update.state) { states.append(name(update.state)) }
            switch (states.last, states.count) {
            case ("streaming", 2) where update.stamp?.frame == 5:
                session.pause()
                await session.settled()
            case ("paused", _):
                session.resume()
                await session.settled()
            case ("streaming", 5) where update.stamp?.frame == 5:
                session.stop()
                // Ends, as the run before it does not wait for its reader any more.
                for try await _ in session.updates { break }
            default: break
            }
        }
        #expect(states == ["starting", "streaming", "paused", "starting", "streaming", "ended"])
    }

    @Test("a source that forgets a stop from before its run is stopped all the same")
    func earlyStop() throws {
        let source = ForgetfulSource()
        let session = try FaceSession(source: .custom(source))
        try session.run { _ in }
        #expect(source.stops >= 2)
    }

    @Test("a frame with a followed face is reported before it is searched")
    func reportBeforeSearch() throws {
        let meter = SessionMeter()
        let processor = FrameProcessor(.init(), firstFaceID: FaceID(rawValue: 1), meter: meter)
        try processor.load(.init())
        /// The number of searches since the last call.
        func searches() -> Int { meter.figures().stages.first { $0.name == "detect" }?.runs ?? 0 }
        let portrait = try jpeg()
        var before: [Int] = []
        var after: [Int] = []
        for number in 0..<12 {
            try processor.advance(to: .jpeg(portrait, index: number)) { _ in before.append(searches()) }
            after.append(searches())
        }
        #expect(before[0] == 1 && before.dropFirst().allSatisfy { $0 == 0 })
        #expect(after[0] == 0 && after.contains(1))
    }

    @Test("signs name the person's own eyes in each source that mirrors, without a second setting")
    func mirrored() {
        let processor = FrameProcessor(.init(), firstFaceID: FaceID(rawValue: 1), meter: SessionMeter())
        let stream = StreamDescription(name: "own", size: FrameSize(width: 8, height: 8), format: "", rate: nil)
        for isMirrored in [true, false] {
            var options = FrameSourceOptions()
            // A file may be a mirror image that is turned back by this.
            options.orientation = .upMirrored
            options.isMirrored = isMirrored
            _ = processor.begin(stream, options)
            #expect(processor.tracker.options.isMirrored == isMirrored)
        }
    }

    @Test("a second reader of the updates is refused, and does not stop the first one by leaving")
    func secondReader() async throws {
        let portrait = try jpeg()
        let source = Script { put in for index in 0..<60 { _ = put(.jpeg(portrait, index: index)) } }
        let session = try await FaceSession(source: source.source)
        var frames = 0
        var refusal: FaceSessionError?
        for try await update in session.updates {
            if update.captured != nil { frames += 1 }
            guard frames == 1, refusal == nil else { continue }
            do { for try await _ in session.updates {} } catch { refusal = error }
        }
        #expect(refusal?.description == FaceSessionError.alreadyRunning.description)
        #expect(frames == 60)
    }

    @Test("a run that is cancelled while the one before it still stops does not begin")
    func cancelledEarly() async throws {
        let portrait = try jpeg()
        let source = Script { put in for index in 0..<100_000 where !put(.jpeg(portrait, index: index)) { break } }
        let session = try await FaceSession(source: source.source)
        for _ in 0..<20 {
            for try await update in session.updates where !update.events.isEmpty { break }
            let task = Task { for try await _ in session.updates {} }
            task.cancel()
            try await task.value
        }
    }

    @Test("the loop's end and the task's end stop the session, and it can run again")
    func leaving() async throws {
        let portrait = try jpeg()
        let hasEnded = AsyncStream.makeStream(of: Void.self)
        let source = Script { put in
            for index in 0..<100_000 where !put(.jpeg(portrait, index: index)) { break }
            hasEnded.continuation.yield()
        }
        let session = try await FaceSession(source: source.source)
        for try await update in session.updates where !update.events.isEmpty { break }
        var ends = hasEnded.stream.makeAsyncIterator()
        await ends.next()
        let task = Task { for try await _ in session.updates {} }
        task.cancel()
        try await task.value
        for try await update in session.updates where !update.events.isEmpty { break }
        await ends.next()
    }

    @Test("paused, the source is closed; resumed, it is opened again")
    func pausing() throws {
        let portrait = try jpeg()
        let source = Script { put in
            for index in 0..<300 where !put(.jpeg(portrait, index: index)) { return }
        }
        let session = try FaceSession(source: source.source)
        session.pause()
        var states: [String] = []
        var events: [FaceUpdate] = []
        try session.run { update in
            let state = name(update.state)
            if states.last != state { states.append(state) }
            events.append(update)
            switch (state, states.count) {
            case ("paused", 1): session.resume()
            case ("paused", _): session.stop()
            default: if !update.events.isEmpty { session.pause() }
            }
        }
        #expect(states == ["paused", "starting", "streaming", "paused", "ended"])
        #expect(short(events) == ["enter 1", "leave 1 disabled"])
    }
}
