import FaceMetadata
import FaceTracking
import Testing

@Suite("Presence")
struct PresenceTests {
    @Test(
        "enters after 100 ms, leaves after 700 ms unseen",
        arguments: [
            // 30 frames/s: 0.1 s later is the fourth frame, 0.7 s later the 21st.
            ("aaaaaa", "...E.."),
            ("aaa-aaa-aaa", "..........."),
            ("aaaa--------------------aa", "...E......................"),
            ("aaaa------------------------", "...E....................L..."),
            ("aaaa----------------------aaaa", "...E....................L....E"),
        ]
    )
    func presence(seen: String, happened: String) {
        var timeline = Timeline()
        #expect(timeline.play(seen) == happened)
    }

    @Test(
        "time passes in frames that cannot be looked at",
        arguments: [
            // Where the patience ends in such a frame, the next one that can be looked at decides.
            ("aaaaxxxxxxxxxxxxxxxxxxxxxxxx-", "...E........................L"),
            ("aaaaxxxxxxxxxx----------xxx-", "...E.......................L"),
            ("aaaaxxxxxxxxxx----------xxaa", "...E........................"),
            ("aaaaxxxxxxxxxxxxxxxxxxaa", "...E...................."),
            // They break no face's coming, unless nearly all are such.
            ("aaxaaaa", "...E..."),
            ("axxxxxa", "......."),
        ]
    )
    func undecodable(seen: String, happened: String) {
        var timeline = Timeline()
        #expect(timeline.play(seen) == happened)
    }

    @Test("a long patience gives an identity to nobody across the picture")
    func patience() {
        var options = FaceTracker.Options()
        options.patience = 60
        var timeline = Timeline(options: options)
        _ = timeline.play("aaaaa" + String(repeating: "-", count: 300))
        _ = timeline.play("bbbb") { _ in .sample(lineage: 2, x: 0.0, y: 0.7) }
        #expect(timeline.updates.last?.faces.map(\.faceID.rawValue) == [1, 2])
        _ = timeline.play("cccc") { _ in .sample(lineage: 3, x: 0.5) }
        #expect(timeline.updates.last?.faces.map(\.faceID.rawValue) == [1, 2])
    }

    @Test("a slow camera's face enters on its second frame")
    func slowCamera() {
        var timeline = Timeline(rate: 2)
        #expect(timeline.play("aa----") == ".E.L..")
    }

    @Test("every sighting is told from the first on, with the same number before and after the enter")
    func sightings() {
        var timeline = Timeline()
        _ = timeline.play("aaaaa-a")
        let seen = timeline.updates.map(\.sightings)
        #expect(seen.map(\.count) == [1, 1, 1, 1, 1, 0, 1])
        #expect(seen.joined().allSatisfy { $0.track == 1 })
        #expect(seen.joined().map(\.face.faceID.rawValue) == [0, 0, 0, 1, 1, 1])
        // Three frames are no enter, and sightings all the same.
        _ = timeline.play("--------------------------------aa--")
        #expect(timeline.updates.suffix(4).map(\.sightings.count) == [1, 1, 0, 0])
    }

    @Test("after a cut nothing is claimed about where an unseen face is; it leaves, or comes back, as ever")
    func cut() throws {
        for line in ["", "a"] {
            var timeline = Timeline()
            _ = timeline.play("aaaaa")
            let update = timeline.tracker.advance(to: Timeline.stamp(5), with: [], isCut: true)
            let hidden = try #require(update.faces.first)
            #expect(!hidden.isSeen && hidden.confidence == 0 && update.events.isEmpty)
            timeline.lose(frames: 1)
            _ = timeline.play("--" + line)
            #expect(
                timeline.updates.last?.faces.first?.confidence
                    == (line.isEmpty ? 0 : FaceObservation.sample().confidence)
            )
            #expect(timeline.play(String(repeating: "-", count: 25)).contains("L"))
            let leave = timeline.updates.flatMap(\.events).last
            #expect(leave?.face.confidence == FaceObservation.sample().confidence)
        }
    }

    @Test("a face for which there was no time stays, and is seen")
    func held() throws {
        var timeline = Timeline()
        let happened = timeline.play("aaaahhhhhhhhhhhhhhhhhhhhhhhhhhhhaah") { character in
            var face = FaceObservation.sample(x: character == "h" ? 0.7 : 0.4)
            face.isCarriedOver = character == "h"
            return face
        }
        #expect(happened == "...E" + String(repeating: ".", count: 31))
        let face = try #require(timeline.updates.last?.faces.first)
        #expect(face.isSeen)
        #expect(abs(face.bounds.x - 0.4) < 0.001)
        #expect(face.trackedFrames == 32)
    }

    @Test("blinks of a face for which there is seldom time are not reported", arguments: [(1, 1), (2, 1), (4, 0)])
    func seldomMeasured(every: Int, blinks: Int) {
        var timeline = Timeline()
        let line = (0..<150).map { frame in
            guard frame.isMultiple(of: every) else { return "h" }
            return 100..<107 ~= frame ? "c" : "o"
        }
        let happened = timeline.play(line.joined()) { character in
            let lids = character == "c" ? 0 : FaceObservation.openLids
            var face = FaceObservation.sample(eyes: (lids, lids))
            face.isCarriedOver = character == "h"
            return face
        }
        #expect(happened.count { $0 == "B" } == blinks)
    }

    @Test("never uses an identity again")
    func identitiesGrow() {
        var timeline = Timeline(nextFaceID: 41)
        _ = timeline.play("aaaa" + String(repeating: "-", count: 30) + "aaaa")
        #expect(timeline.updates.flatMap(\.events).map(\.face.faceID.rawValue) == [41, 41, 42])
        #expect(timeline.tracker.nextFaceID == FaceID(rawValue: 43))
    }

    @Test("keeps the identity of a face that is detected anew nearby")
    func newLineage() {
        var timeline = Timeline()
        let seen = timeline.play("aaaaa-----bbbb") { .sample(lineage: $0 == "a" ? 1 : 2, x: $0 == "a" ? 0.40 : 0.45) }
        #expect(seen == "...E..........")
        #expect(timeline.updates.last?.faces.map(\.faceID.rawValue) == [1])
    }

    @Test("gives a far or much larger newcomer an identity of its own", arguments: [(0.8, 0.2), (0.3, 0.5)])
    func otherFace(x: Double, size: Double) {
        var timeline = Timeline()
        let seen = timeline.play("aaaaa---bbbb") { $0 == "a" ? .sample() : .sample(lineage: 2, x: x, size: size) }
        #expect(seen == "...E.......E")
        #expect(timeline.updates.last?.faces.map(\.faceID.rawValue) == [1, 2])
    }

    @Test("keeps a hidden face in the set as it was last seen, and says that it is hidden")
    func hiddenFace() {
        var timeline = Timeline()
        _ = timeline.play("aaaa---xa")
        let faces = timeline.updates.map(\.faces.first)
        #expect(faces[6]?.trackedFrames == 1)
        #expect(faces.suffix(6).map { $0?.isSeen } == [true, false, false, false, false, true])
        // A frame that cannot be read says nothing of the face.
        _ = timeline.play("x")
        #expect(timeline.updates.last?.faces.first?.isSeen == true)
    }

    @Test(
        "a face that was hidden on its way keeps the identity, one that was not going there does not",
        arguments: [(0.04, 1), (0.0, 2)]
    )
    func path(step: Double, count: Int) {
        var tracker = FaceTracker()
        var last: FaceTracker.Update?
        // Behind another person for a third of a second, and then two face widths further on.
        for frame in 0...30 {
            let x = frame < 15 ? step * Double(frame) * 0.25 : 0.4 + step * 5
            let isHidden = 10..<20 ~= frame
            let seen = FaceObservation.sample(lineage: frame < 10 ? 1 : 2, x: frame < 10 ? 0.3 + x : 0.6, size: 0.15)
            last = tracker.advance(to: Timeline.stamp(frame), with: isHidden ? [] : [seen])
        }
        #expect(last?.faces.count == 1 || count == 2)
        #expect(tracker.nextFaceID.rawValue - 1 == count)
    }

    @Test("whoever comes to the same place after the patience gets an identity of their own")
    func successor() {
        var timeline = Timeline()
        let hidden = String(repeating: "-", count: 20)
        _ = timeline.play("aaaaaa" + hidden + "bbbb") { .sample(lineage: $0 == "a" ? 1 : 2) }
        #expect(timeline.tracker.nextFaceID.rawValue == 2)
        _ = timeline.play(hidden + "--" + "bbbb") { _ in .sample(lineage: 3) }
        #expect(timeline.tracker.nextFaceID.rawValue == 3)
    }

    @Test("tells dwell and when the face was last seen")
    func dwell() throws {
        var timeline = Timeline()
        _ = timeline.play(String(repeating: "a", count: 34) + String(repeating: "-", count: 21))
        let leave = try #require(timeline.updates.last?.events.first)
        #expect(leave.kind == .leave(dwell: 1, lastSeen: Timeline.stamp(33).time, reason: .left))
        #expect(leave.stamp == Timeline.stamp(54))
    }

    @Test("two crossing faces keep their identities by lineage")
    func crossing() {
        var tracker = FaceTracker()
        var last: FaceTracker.Update?
        for frame in 0...30 {
            let shift = Double(frame) * 0.02
            last = tracker.advance(
                to: Timeline.stamp(frame),
                with: [.sample(lineage: 1, x: 0.1 + shift), .sample(lineage: 2, x: 0.7 - shift)]
            )
        }
        #expect(last?.faces.map(\.faceID.rawValue) == [1, 2])
        #expect((last?.faces.first?.bounds.x ?? 0) > (last?.faces.last?.bounds.x ?? 1))
    }

    @Test("ends all faces with the reason, those that never entered without a word")
    func endAll() {
        var timeline = Timeline()
        _ = timeline.play("aaaa")
        let events = timeline.tracker.endAll(reason: .cameraLost, at: Timeline.stamp(9))
        #expect(events.map(\.kind) == [.leave(dwell: 0, lastSeen: Timeline.stamp(3).time, reason: .cameraLost)])
        #expect(timeline.tracker.endAll(reason: .shutdown, at: Timeline.stamp(9)).isEmpty)
        _ = timeline.play("aa")
        #expect(timeline.tracker.endAll(reason: .shutdown, at: Timeline.stamp(12)).isEmpty)
    }

    @Test(
        "passes over observations that are no faces",
        arguments: [
            FaceObservation.sample(x: .nan), .sample(size: .infinity), .sample(size: 0), .sample(size: -0.1),
            .sample(yaw: .nan), .sample(eyes: (.nan, 0.3)), .sample(eyeDistance: .infinity),
            .sample { $0.leftEye.y = .nan }, .sample { $0.rightEye.x = .infinity }, .sample { $0.mouth.x = .nan },
            .sample { $0.ownMotion = .rest(size: .nan) },
        ]
    )
    func garbage(observation: FaceObservation) {
        var timeline = Timeline()
        #expect(timeline.play("aaaaaa") { _ in observation } == "......")
        #expect(timeline.updates.flatMap(\.faces).isEmpty)
    }
}

extension FaceObservation {
    /// The usual sample with a change.
    fileprivate static func sample(_ change: (inout FaceObservation) -> Void) -> FaceObservation {
        var sample = FaceObservation.sample()
        change(&sample)
        return sample
    }
}
