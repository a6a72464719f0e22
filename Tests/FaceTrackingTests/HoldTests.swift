import FaceMetadata
import FacetTestSupport
import Testing

@testable import FaceTracking

@Suite("Faces that are not seen and held")
struct HoldTests {
    /// Plays what is seen and what places show, at ten frames a second.
    private struct Room {
        var tracker: FaceTracker
        private(set) var events: [FaceEvent] = []
        private(set) var queries = 0
        private var frame = 0

        init(_ options: FaceTracker.Options = .init()) { tracker = FaceTracker(options: options) }

        var time: Double { Double(frame) / 10 }

        /// Plays frames, in which all places that the tracker asks for show the same.
        mutating func play(seconds: Double, _ seen: [FaceObservation] = [], _ reading: PlaceReading? = nil) {
            for _ in 0..<Int(seconds * 10 + 0.5) {
                let asked = tracker.placeRequest(at: time, besides: seen)?.queries.map(\.track) ?? []
                queries += asked.count
                let readings = reading.map { reading in Dictionary(uniqueKeysWithValues: asked.map { ($0, reading) }) }
                let stamp = Timeline.stamp(frame, rate: 10)
                events += tracker.advance(to: stamp, with: seen, readings: readings ?? [:]).events
                frame += 1
            }
        }

        /// Plays frames that could not be decoded.
        mutating func skip(seconds: Double) {
            for _ in 0..<Int(seconds * 10 + 0.5) {
                events += tracker.skip(to: Timeline.stamp(frame, rate: 10)).events
                frame += 1
            }
        }

        var leave: (dwell: Double, lastSeen: Double, event: FaceEvent)? {
            for event in events {
                guard case .leave(let dwell, let lastSeen, _) = event.kind else { continue }
                return (dwell, Double(lastSeen.nanoseconds) / 1e9, event)
            }
            return nil
        }
    }

    private static func clothes(_ red: Float, _ green: Float, _ blue: Float) -> ClothesColors {
        var clothes = ClothesColors()
        for shade in 0..<100 { clothes.add(red: red + Float(shade) / 5, green: green, blue: blue) }
        return clothes
    }

    private static func face(_ lineage: Int = 1, x: Double = 0.4, size: Double = 0.2, _ clothes: ClothesColors? = nil)
        -> FaceObservation
    {
        var face = FaceObservation.sample(lineage: lineage, x: x, size: size)
        face.clothes = clothes
        return face
    }

    @Test(
        "stays, with its last bounds and nothing else, while its place shows somebody; leaves as of the last time it did"
    )
    func held() throws {
        var room = Room()
        room.play(seconds: 2, [Self.face()])
        room.play(seconds: 10, [], .person(moved: true, head: false))
        let face = try #require(room.tracker.faces.first)
        #expect(face.faceID.rawValue == 1 && !face.isSeen && face.isHeld)
        #expect(abs(face.bounds.x - 0.4) < 0.001 && face.confidence == 0 && face.trackedFrames > 10)
        #expect(
            face.pose == nil && face.leftEye == nil && face.smiling == nil && face.leftEyeClosed == nil
                && face.gaze == nil
        )
        #expect(room.events.map(\.kind) == [.enter])
        room.play(seconds: 1, [], .empty)
        let (dwell, lastSeen, leave) = try #require(room.leave)
        // Looked at since 2.6 s, half a second apart.
        #expect(abs(lastSeen - 11.6) < 0.11 && abs(dwell - (lastSeen - 0.1)) < 0.001)
        #expect(leave.stamp.mediaTime - lastSeen < 0.51)
        #expect(abs((leave.face.visit?.unseen ?? 0) - (lastSeen - 1.9)) < 0.001)
        #expect(leave.face.confidence == FaceObservation.sample().confidence)
    }

    @Test("its place is looked at twice a second, not before its patience has ended")
    func rate() {
        var room = Room()
        room.play(seconds: 2, [Self.face()])
        room.play(seconds: 0.6, [], .person(moved: true, head: false))
        #expect(room.queries == 0)
        room.play(seconds: 10, [], .person(moved: true, head: false))
        #expect(19...21 ~= room.queries)
    }

    @Test(
        "leaves with its patience where nobody looks at its place, holding is off, or it is only a picture",
        arguments: 0..<3
    )
    func notHeld(reason: Int) throws {
        var options = FaceTracker.Options()
        if reason == 1 { options.hold = 0 }
        if reason == 2 { options.stillAfter = 0 }
        var room = Room(options)
        room.play(seconds: 2, [Self.face()])
        room.play(seconds: 2, [], reason == 0 ? nil : .person(moved: true, head: false))
        #expect(try #require(room.leave).event.stamp.mediaTime < 2.7)
    }

    @Test(
        "what does not move for a second and a half is a jacket, and somebody whose head is there may sit still for ten"
    )
    func motionless() throws {
        var sitter = Room()
        sitter.play(seconds: 2, [Self.face()])
        sitter.play(seconds: 9, [], .person(moved: false, head: true))
        #expect(sitter.leave == nil)
        sitter.play(seconds: 2, [], .person(moved: false, head: true))
        #expect(sitter.leave != nil)
        var room = Room()
        room.play(seconds: 2, [Self.face()])
        room.play(seconds: 5, [], .person(moved: true, head: false))
        room.play(seconds: 5, [], .person(moved: false, head: false))
        let leave = try #require(room.leave).event.stamp.mediaTime
        #expect(leave > 8 && leave < 8.7)
    }

    @Test("a frame that cannot be looked at as the patience ends decides nothing, and half a second of them does")
    func undecodable() throws {
        var room = Room()
        room.play(seconds: 2, [Self.face()])
        room.play(seconds: 0.6)
        room.skip(seconds: 0.3)
        room.play(seconds: 2, [], .person(moved: true, head: false))
        #expect(room.leave == nil && room.tracker.faces.first?.isHeld == true)
        var blind = Room()
        blind.play(seconds: 2, [Self.face()])
        blind.skip(seconds: 3)
        #expect(abs(try #require(blind.leave).event.stamp.mediaTime - 3.2) < 0.11)
        var options = FaceTracker.Options()
        options.hold = 0
        var without = Room(options)
        without.play(seconds: 2, [Self.face()])
        without.skip(seconds: 1)
        #expect(try #require(without.leave).event.stamp.mediaTime < 2.7)
    }

    @Test("others may stand in front for a second and a half", arguments: [1.2, 2.5])
    func covered(seconds: Double) {
        var room = Room()
        room.play(seconds: 2, [Self.face()])
        room.play(seconds: 3, [], .person(moved: true, head: false))
        room.play(seconds: seconds, [], .covered)
        room.play(seconds: 1, [], .person(moved: true, head: false))
        #expect((room.leave == nil) == (seconds < 1.5))
    }

    @Test("others may stand in front for a moment when the place is looked at first too", arguments: [0.7, 1.5, 2, 5])
    func coveredAtFirst(patience: Double) {
        var options = FaceTracker.Options()
        options.patience = patience
        for (seconds, stays) in [(0.6, true), (2, false)] {
            var room = Room(options)
            room.play(seconds: 2, [Self.face()])
            room.play(seconds: patience + seconds, [], .covered)
            room.play(seconds: 3, [], .person(moved: true, head: false))
            #expect((room.leave == nil) == stays, "covered for \(seconds) s")
        }
    }

    @Test("a hold has an end")
    func longest() throws {
        var options = FaceTracker.Options()
        options.hold = 5
        var room = Room(options)
        room.play(seconds: 2, [Self.face()])
        room.play(seconds: 8, [], .person(moved: true, head: false))
        #expect(abs(try #require(room.leave).event.stamp.mediaTime - 6.9) < 0.11)
    }

    @Test("whoever comes back in the same clothes, near and as large, is the same; others are not", arguments: 0..<6)
    func comesBack(who: Int) {
        let (red, blue) = (Self.clothes(150, 20, 20), Self.clothes(20, 30, 120))
        var room = Room()
        room.play(seconds: 2, [Self.face(1, red)])
        room.play(seconds: who == 4 ? 1 : 5, [], .person(moved: true, head: false))
        let back = [
            Self.face(2, x: 0.45, red), Self.face(2, x: 0.45, blue), Self.face(2, x: 0.8, red),
            Self.face(2, size: 0.35, red),
            Self.face(2, x: 0.45), Self.face(2, x: 0.45),
        ][who]
        room.play(seconds: 0.5, [back], .person(moved: true, head: false))
        // Without clothes in sight it must be soon.
        let isSame = who == 0 || who == 4
        #expect(room.tracker.nextFaceID.rawValue == (isSame ? 2 : 3))
        #expect(room.tracker.faces.first { $0.isSeen }?.faceID.rawValue == (isSame ? 1 : 2))
        if isSame { #expect((room.tracker.faces.first?.visit?.unseen ?? 0) > (who == 4 ? 0.9 : 4.9)) }
    }

    @Test("another one is not the same for not being measured in the next frame")
    func carriedOver() {
        let (red, blue) = (Self.clothes(150, 20, 20), Self.clothes(20, 30, 120))
        var room = Room()
        room.play(seconds: 2, [Self.face(1, red)])
        room.play(seconds: 1, [], .person(moved: true, head: false))
        var other = Self.face(2, x: 0.45)
        other.isCarriedOver = true
        room.play(seconds: 0.1, [Self.face(2, x: 0.45, blue)], .person(moved: true, head: false))
        room.play(seconds: 0.1, [other], .person(moved: true, head: false))
        room.play(seconds: 0.5, [Self.face(2, x: 0.45, blue)], .person(moved: true, head: false))
        #expect(room.tracker.faces.first { $0.isSeen }?.faceID.rawValue == 2)
    }

    @Test("a hand before the clothes as they are looked at last does not make somebody else of the one who comes back")
    func hand() {
        let red = Self.clothes(150, 20, 20)
        var behindHand = red
        for shade in 0..<100 { behindHand.add(red: 20 + Float(shade) / 5, green: 90, blue: 40) }
        var room = Room()
        room.play(seconds: 2, [Self.face(1, red)])
        room.play(seconds: 0.1, [Self.face(1, behindHand)])
        room.play(seconds: 5, [], .person(moved: true, head: false))
        room.play(seconds: 0.5, [Self.face(2, red)])
        #expect(room.tracker.faces.map(\.faceID.rawValue) == [1] && room.tracker.faces.first?.isSeen == true)
    }

    @Test("what it was doing ends when it is no longer seen, and its zone when it has gone")
    func expressions() throws {
        var options = FaceTracker.Options()
        options.zones = [Zone("desk", try PictureArea(numbers: [0.2, 0.1, 0.6, 0.8]))]
        var room = Room(options)
        room.play(seconds: 2, [Self.face()])
        room.play(seconds: 2, [.sample(mouth: .level(1))])
        room.play(seconds: 5, [], .person(moved: true, head: false))
        let ended = room.events.filter { if case .smileEnd = $0.kind { true } else { false } }
        #expect(ended.count == 1 && abs((ended.first?.stamp.mediaTime ?? 0) - 4.6) < 0.11)
        #expect(room.tracker.faces.first?.zones == ["desk"])
        let before = room.events.count
        room.play(seconds: 1, [], .empty)
        let last = room.events.dropFirst(before)
        guard case .zoneLeave("desk", let dwell)? = last.first?.kind, case .leave? = last.last?.kind, last.count == 2
        else {
            Issue.record("\(last)")
            return
        }
        #expect(dwell > 8 && last.last?.face.visit?.smiles == 1)
    }

    @Test("leaves a zone that is switched off or removed", arguments: [0.3, 5], [true, false])
    func zoneThatIsGone(unseen: Double, isRemoved: Bool) throws {
        var options = FaceTracker.Options()
        options.zones = [Zone("desk", try PictureArea(numbers: [0.2, 0.1, 0.6, 0.8]))]
        var room = Room(options)
        room.play(seconds: 2, [Self.face()])
        room.play(seconds: unseen, [], .person(moved: true, head: false))
        if isRemoved { room.tracker.options.zones = [] } else { room.tracker.options.zones[0].isOn = false }
        room.play(seconds: 0.1, [], .person(moved: true, head: false))
        guard case .zoneLeave("desk", let dwell)? = room.events.last?.kind else {
            Issue.record("\(room.events)")
            return
        }
        #expect(unseen < 1 ? abs(dwell - 1.8) < 0.11 : dwell > 6)
        #expect(room.tracker.faces.map(\.zones) == [isRemoved ? nil : []])
    }

    /// Random comings, goings and places.
    @Test("a held face has no event but its leave, and no identity comes back after its leave", arguments: 0..<40)
    func anything(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let clothes = [Self.clothes(150, 20, 20), Self.clothes(20, 30, 120), nil]
        var tracker = FaceTracker()
        var entered: Set<FaceID> = []
        var left: Set<FaceID> = []
        var held: Set<FaceID> = []
        var people: [FaceObservation?] = [nil, nil, nil]
        var lineage = 0
        func note(_ events: [FaceEvent]) {
            for event in events {
                let id = event.face.faceID
                #expect(!left.contains(id))
                if case .enter = event.kind { #expect(entered.insert(id).inserted) }
                if case .leave = event.kind { left.insert(id) }
                var isEnd = false
                switch event.kind {
                case .leave, .zoneLeave: isEnd = true
                default: break
                }
                #expect(isEnd || !held.contains(id))
            }
        }
        for frame in 0..<600 {
            for index in people.indices where Int.random(in: 0..<12, using: &random) == 0 {
                lineage += 1
                let x = 0.1 + 0.25 * Double(index) + Double.random(in: -0.05...0.05, using: &random)
                var face = FaceObservation.sample(
                    lineage: lineage,
                    x: x,
                    mouth: .level(Bool.random(using: &random) ? 1 : 0)
                )
                face.clothes = clothes[Int.random(in: 0..<3, using: &random)]
                people[index] = Int.random(in: 0..<3, using: &random) == 0 ? face : nil
            }
            let seen = people.compactMap(\.self)
            let stamp = Timeline.stamp(frame, rate: 10)
            let queries = tracker.placeRequest(at: stamp.mediaTime, besides: seen)?.queries ?? []
            let readings = queries.map { query in
                let readings: [PlaceReading] = [
                    .person(moved: true, head: false), .person(moved: true, head: false),
                    .person(moved: false, head: false), .covered, .empty,
                ]
                return (query.track, readings[Int.random(in: 0..<readings.count, using: &random)])
            }
            let isSkipped = Int.random(in: 0..<20, using: &random) == 0
            let update =
                isSkipped
                ? tracker.skip(to: stamp)
                : tracker.advance(to: stamp, with: seen, readings: Dictionary(uniqueKeysWithValues: readings))
            held.subtract(update.faces.filter(\.isSeen).map(\.faceID))
            note(update.events)
            held = Set(update.faces.filter(\.isHeld).map(\.faceID))
            #expect(Set(update.faces.map(\.faceID)) == entered.subtracting(left))
        }
        note(tracker.endAll(reason: .shutdown, at: Timeline.stamp(600, rate: 10)))
        #expect(entered == left && !entered.isEmpty)
    }
}
