import FaceInference
import FaceMetadata
import FaceTracking
import FacetTestSupport
import Foundation
import Frames
import Synchronization
import System
import Testing

@testable import FacetKit

/// The real models on a portrait; frames come from the tests.
@Suite("Face session", .serialized, .timeLimit(.minutes(5)))
struct FaceSessionTests {
    private static let portrait = "/usr/local/share/facet/grace_hopper.jpg"

    private func jpeg() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: Self.portrait))) }

    /// Who came and went, in short.
    private func short(_ updates: [FaceUpdate]) -> [String] {
        updates.flatMap(\.events).compactMap { event in
            switch event.kind {
            case .enter: "enter \(event.face.faceID.rawValue)"
            case .leave(_, _, let reason): "leave \(event.face.faceID.rawValue) \(reason.rawValue)"
            default: nil
            }
        }
    }

    private func name(_ state: StreamState) -> String {
        switch state {
        case .starting: "starting"
        case .streaming: "streaming"
        case .lost(let failure): "lost \(failure.reason)"
        case .paused: "paused"
        case .ended: "ended"
        }
    }

    @Test("a face leaves while frames come that cannot be decoded")
    func undecodable() throws {
        let portrait = try jpeg()
        let source = Script { put in
            for index in 0..<10 { _ = put(.jpeg(portrait, index: index)) }
            // Longer than the patience and the half second in which the next frame may decide.
            for index in 10..<60 { _ = put(.jpeg([0xFF, 0xD8, 0, 0], index: index)) }
        }
        let session = try FaceSession(source: source.source)
        var updates: [FaceUpdate] = []
        try session.run { updates.append($0) }
        #expect(short(updates) == ["enter 1", "leave 1 left"])
        #expect(updates.last?.state == .ended)
        #expect(session.counts.dropped == [.corrupt: 50])
        #expect(session.counts.analysed == 10)
    }

    @Test(
        "a source whose frames cannot be decoded for too long is lost, from the start too, until one can",
        arguments: [10, 0]
    )
    func undecodableForLong(good: Int) throws {
        let portrait = try jpeg()
        let source = Script { put in
            for index in 0..<good { _ = put(.jpeg(portrait, index: index)) }
            for index in good..<(good + 70) { _ = put(.jpeg([0xFF, 0xD8, 0, 0], index: index)) }
            for index in (good + 70)..<(good + 80) { _ = put(.jpeg(portrait, index: index)) }
        }
        var options = FaceSession.Options()
        // Longer than the source's time-out: the loss ends the face, not the tracker.
        options.tracking.patience = 5
        let session = try FaceSession(source: source.source, options: options)
        var updates: [FaceUpdate] = []
        try session.run { updates.append($0) }
        var states: [String] = []
        for state in updates.map(\.state).map(name) where state != states.last { states.append(state) }
        #expect(states == ["starting", "streaming", "lost undecodable", "streaming", "ended"])
        let first = good > 0 ? ["enter 1", "leave 1 camera_lost"] : []
        let number = good > 0 ? 2 : 1
        #expect(short(updates) == first + ["enter \(number)", "leave \(number) shutdown"])
        #expect(session.counts.dropped == [.corrupt: 70])
    }

    @Test("a source of one's own that throws is lost, and is run again; one that returns has ended")
    func reopensOwnSource() throws {
        let portrait = try jpeg()
        let source = FailingSource { index in .jpeg(portrait, index: index) }
        let session = try FaceSession(source: .custom(source))
        var updates: [FaceUpdate] = []
        try session.run { updates.append($0) }
        var states: [String] = []
        for state in updates.map(\.state).map(name) where state != states.last { states.append(state) }
        #expect(states == ["starting", "lost busy", "streaming", "lost stream_lost", "streaming", "ended"])
        #expect(short(updates) == ["enter 1", "leave 1 camera_lost", "enter 2", "leave 2 shutdown"])
        #expect(source.runs == 4)
    }

    @Test("a frame without pixels to read is corrupt, and the next one is looked at")
    func unreadable() throws {
        let portrait = try jpeg()
        let source = Script { put in
            for index in 0..<10 { _ = put(.jpeg(portrait, index: index)) }
            var broken = Frame.jpeg(portrait, index: 10)
            // Of two planes it has one.
            broken.format = .nv12
            _ = put(broken)
            for index in 11..<20 { _ = put(.jpeg(portrait, index: index)) }
        }
        let session = try FaceSession(source: source.source)
        var updates: [FaceUpdate] = []
        try session.run { updates.append($0) }
        #expect(short(updates) == ["enter 1", "leave 1 shutdown"])
        #expect(session.counts.dropped == [.corrupt: 1] && session.counts.analysed == 19)
    }

    @Test("landmarks and frames come on request, at full size if that is wanted")
    func onRequest() throws {
        let portrait = try jpeg()
        let source = Script { put in for index in 0..<6 { _ = put(.jpeg(portrait, index: index)) } }
        var options = FaceSession.Options()
        options.landmarks = true
        options.frames = .full
        var last: FaceUpdate?
        try FaceSession(source: source.source, options: options).run { if !$0.faces.isEmpty { last = $0 } }
        let update = try #require(last)
        let face = try #require(update.faces.first)
        let points = try #require(update.landmarks[face.faceID])
        #expect(points.count == 478)
        let size = try #require(update.frame?.uprightSize)
        #expect(size == FrameSize(width: 512, height: 600))
        let x = points.map(\.x)
        #expect(abs((x.min() ?? 0) - face.bounds.x) < 0.05)

        var plain: FaceUpdate?
        try FaceSession(source: source.source).run { if !$0.faces.isEmpty { plain = $0 } }
        #expect(plain?.landmarks.isEmpty == true && plain?.frame == nil)
    }

    @Test("other options keep the camera open and the face, another source does neither")
    func applying() throws {
        let portrait = try jpeg()
        let starts = Atomic(0)
        let source = Script { put in
            starts.add(1, ordering: .relaxed)
            for index in 0..<300 where !put(.jpeg(portrait, index: index)) { return }
        }
        let session = try FaceSession(source: source.source)
        var wanted = FaceSession.Options()
        var updates: [FaceUpdate] = []
        var isApplied = false
        try session.run { update in
            updates.append(update)
            if !update.events.isEmpty, !isApplied {
                isApplied = true
                // Nothing differs: nothing happens.
                session.apply(source: source.source, options: wanted)
                wanted.detection.accuracy = .high
                wanted.tracking.patience = 1
                session.apply(wanted)
            } else if update.stamp?.frame == 30 {
                session.stop()
            }
        }
        #expect(short(updates) == ["enter 1", "leave 1 shutdown"])
        #expect(starts.load(ordering: .relaxed) == 1)

        let other = Script { put in
            for index in 0..<20 { _ = put(.jpeg(portrait, index: index)) }
        }
        updates = []
        isApplied = false
        try session.run { update in
            updates.append(update)
            if !update.events.isEmpty, !isApplied {
                isApplied = true
                session.apply(source: other.source, options: wanted)
            }
        }
        #expect(short(updates) == ["enter 2", "leave 2 restart", "enter 3", "leave 3 shutdown"])
        #expect(updates.map(\.state).map(name).filter { $0 != "streaming" } == ["starting", "starting", "ended"])
    }

    @Test("options that do not work are given up for those that did, and an update says so")
    func rejecting() throws {
        let portrait = try jpeg()
        let source = Script { put in
            for index in 0..<40 where !put(.jpeg(portrait, index: index)) { return }
        }
        let session = try FaceSession(source: source.source)
        var wanted = FaceSession.Options()
        wanted.detection.modelDirectory = "/nowhere"
        var updates: [FaceUpdate] = []
        try session.run { update in
            updates.append(update)
            if update.stamp?.frame == 10, update.configuration.number == 0 {
                #expect(session.apply(wanted) == 1)
            }
        }
        #expect(short(updates) == ["enter 1", "leave 1 shutdown"])
        var configurations: [ConfigurationStatus] = []
        for status in updates.map(\.configuration) where status != configurations.last { configurations.append(status) }
        let rejection = ConfigurationStatus.Outcome.rejected(.inference(.missingFile(path: "/nowhere/libLiteRt.so")))
        #expect(
            configurations.map(\.outcome) == [.pending, .inEffect, .pending, rejection]
                || configurations.map(\.outcome) == [.pending, .inEffect, rejection]
        )
        #expect(configurations.map(\.number) == configurations.map { $0.outcome == rejection ? 1 : $0.number })
        #expect(configurations.last == ConfigurationStatus(number: 1, outcome: rejection))
    }

    @Test("options given while the source has no frames are in effect without one")
    func applyingWhileLost() throws {
        let source = Script { put in _ = put(nil) }
        let session = try FaceSession(source: source.source)
        var wanted = FaceSession.Options()
        wanted.tracking.patience = 1
        var number = 0
        try session.run { update in
            guard case .lost = update.state else { return }
            if number == 0 { number = session.apply(wanted) }
            if update.configuration == ConfigurationStatus(number: 1, outcome: .inEffect) { session.stop() }
        }
        #expect(number == 1)
    }

    @Test("a stop ends the run in progress and no later one, and does not hang where a run is begun in the handler")
    func stopping() throws {
        let portrait = try jpeg()
        let source = Script { put in for index in 0..<10 where !put(.jpeg(portrait, index: index)) { return } }
        let session = try FaceSession(source: source.source)
        session.stop()
        var refusals: [FaceSessionError] = []
        var frames = 0
        try session.run { update in
            guard update.captured != nil else { return }
            frames += 1
            guard frames == 4 else { return }
            session.stop()
            do throws(FaceSessionError) { try session.run { _ in } } catch { refusals.append(error) }
        }
        #expect(frames == 4)
        #expect(refusals == [.alreadyRunning])
        try session.run { if $0.captured != nil { frames += 1 } }
        #expect(frames == 14)
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

    @Test("a clip that is missing is an error that names it, at once")
    func missingClip() {
        let error = #expect(throws: FaceSessionError.self) { try FaceSession(source: .file("/nowhere/clip.mp4")) }
        #expect(error?.description.contains("/nowhere/clip.mp4") == true)
    }

    // MARK: - Updates

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
}

/// A source that a closure plays.
private final class Script: FrameSource {
    /// Takes a frame, nil for the loss of the source; false once no more are wanted.
    typealias Put = (Frame?) -> Bool

    private let play: @Sendable (Put) -> Void

    init(_ play: @escaping @Sendable (Put) -> Void) {
        self.play = play
    }

    var source: FaceSession.Source { .custom(self) }

    private let isStopped = Atomic(false)

    func run(into mailbox: FrameMailbox) {
        isStopped.store(false, ordering: .relaxed)
        let size = FrameSize(width: 512, height: 600)
        mailbox.put(.streaming(StreamDescription(name: "script", size: size, format: "", rate: 30, isLive: false)))
        play { frame in
            guard !isStopped.load(ordering: .relaxed) else { return false }
            guard let frame else {
                mailbox.put(.lost(SourceFailure(reason: .unplugged, description: "a test")))
                while !isStopped.load(ordering: .relaxed) { usleep(1000) }
                return false
            }
            return mailbox.put(.frame(frame))
        }
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }
}

/// Fails twice to open, which is one loss; then it delivers ten frames and is lost, and ten more and ends.
private final class FailingSource: FrameSource {
    private let frame: @Sendable (Int) -> Frame
    private let count = Atomic(0)
    var runs: Int { count.load(ordering: .relaxed) }

    init(_ frame: @escaping @Sendable (Int) -> Frame) { self.frame = frame }

    func run(into mailbox: FrameMailbox) throws(SourceFailure) {
        let run = count.add(1, ordering: .relaxed).newValue
        guard run > 2 else { throw SourceFailure(reason: .busy, description: "a test") }
        let size = FrameSize(width: 512, height: 600)
        mailbox.put(.streaming(StreamDescription(name: "script", size: size, format: "", rate: 30, isLive: false)))
        for index in 10 * run..<10 * run + 10 { mailbox.put(.frame(frame(index))) }
        if run == 3 { throw SourceFailure(reason: .streamLost, description: "a test") }
    }

    func stop() {}
}

/// Waits in `run` for a `stop` that comes while it does, and forgets the one that came before.
private final class ForgetfulSource: FrameSource {
    private let state = Monitor((hasBegun: false, stops: 0, isStopped: false))

    var stops: Int { state.update { $0.stops } }

    func run(into mailbox: FrameMailbox) {
        // Lets the session end without one.
        mailbox.put(.ended(.finished))
        state.wait { $0.stops > 0 ? () : nil }
        state.update { $0.isStopped = false }
        state.wait { $0.isStopped ? () : nil }
    }

    func stop() {
        state.update {
            $0.stops += 1
            $0.isStopped = true
        }
    }
}

extension Frame {
    /// A JPEG as a camera of 30 frames a second delivers it.
    fileprivate static func jpeg(_ bytes: [UInt8], index: Int) -> Frame {
        let time = Double(index) / 30
        let stamp = FrameStamp(frame: index, time: Timestamp(nanoseconds: 0).advanced(bySeconds: time), mediaTime: time)
        let size = FrameSize(width: 512, height: 600)
        do {
            return try Frame(copying: bytes, size: size, format: .jpeg, stamp: stamp)
        } catch {
            fatalError("\(error)")
        }
    }
}
