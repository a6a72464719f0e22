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

    @Test("a clip that is missing is an error that names it, at once")
    func missingClip() {
        let error = #expect(throws: FaceSessionError.self) { try FaceSession(source: .file("/nowhere/clip.mp4")) }
        #expect(error?.description.contains("/nowhere/clip.mp4") == true)
    }

    // MARK: - Updates
}
