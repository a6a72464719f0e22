import FaceMetadata
import Testing

@testable import FaceTracking

@Suite("Looks")
struct LookTests {
    /// Plays gazes at 20 frames per second through a detector: `o` at the target, `a` elsewhere, `e` just outside the
    /// cone, `-` closed eyes, `?` eyes that are too small. What comes out is `L` where a look begins, `A` where one
    /// ends, and in between what is known: `?` nothing, `.` no look, `*` a look.
    private struct Play {
        var detector = LookDetector()
        var options = LookSettings()
        var distance: Double?
        var frame = 0
        var ended: [FaceEvent.Kind] = []

        mutating func callAsFunction(_ line: String) -> String {
            String(
                line.map { character in
                    let (x, y) = (options.direction.yaw, options.direction.pitch)
                    let eyes: LookDetector.Eyes =
                        switch character {
                        case "o": .open(Gaze(yaw: x + 2, pitch: y - 2))
                        case "e": .open(Gaze(yaw: x - 0.55 * options.cone, pitch: y))
                        case "a": .open(Gaze(yaw: x, pitch: y + 25))
                        case "-": .closed
                        default: .unknown
                        }
                    let kind = detector.advance(eyes, distance: distance, at: Double(frame) / 20, options)
                    frame += 1
                    if kind == .look { return "L" }
                    if let kind {
                        ended.append(kind)
                        return "A"
                    }
                    return detector.isLooking.map { $0 ? "*" : "." } ?? "?"
                }
            )
        }
    }

    @Test("begin when they have lasted for `hold` and end when they have been over for `release`")
    func holdAndRelease() {
        var play = Play()
        #expect(play("oooooooo" + "ooooo") == "????????" + "L****")
        #expect(play("aaaaaaaaaaaaa" + "aaa") == "*************" + "A..")
        #expect(play.ended == [.lookAway(duration: 0.6)])
        #expect(play("ooooooo" + "aaa" + "oooooooo" + "o") == "......." + "..." + "........" + "L")
    }

    @Test("are known not to be once a face has been there for as long as one takes")
    func unknownAtFirst() {
        var play = Play()
        #expect(play("aaaaaaaa" + "aa") == "????????" + "..")
    }

    @Test("go on over a blink and a glance, and end with eyes that stay closed")
    func blinks() {
        var play = Play()
        #expect(
            play("ooooooooo" + "--------" + "oo" + "aaaaaaaaaaaaa" + "ooo") == "????????L" + "********" + "**"
                + "*************" + "***"
        )
        #expect(play("--------------" + "---") == "*************A" + "...")
        #expect(play.ended.count == 1)
    }

    @Test("are unknown of eyes that are too small, and known not to be of closed ones")
    func unknown() {
        var play = Play()
        #expect(play("----------" + "???" + "oo") == "????????.." + "???" + "??")
        #expect(play("ooooooooo" + "??????????????" + "??") == "??????L**" + "*************A" + "??")
    }

    @Test("neither begin just outside the cone nor end there")
    func edge() {
        var play = Play()
        #expect(play("eeeeeeeee" + "eeee") == "????????." + "....")
        #expect(
            play("ooooooooo" + String(repeating: "e", count: 60)) == "........L" + String(repeating: "*", count: 60)
        )
    }

    @Test("are of a thing beside the camera, if that is set")
    func direction() {
        var play = Play()
        play.options.direction = Gaze(yaw: -20, pitch: 10)
        #expect(play("ooooooooo") == "????????L")
        var atCamera = Play()
        #expect(
            play.detector.advance(.open(Gaze(yaw: 0, pitch: 0)), distance: nil, at: 1.2, play.options) != nil
        )
        #expect(atCamera("ooooooooo") == "????????L")
    }

    @Test("are only of faces that are near enough, if that is set; one whose distance is unknown is not")
    func near() {
        for (distance, looks) in [(nil, false), (1.1, false), (0.9, true)] as [(Double?, Bool)] {
            var play = Play()
            (play.options.near, play.distance) = (1, distance)
            #expect(play("ooooooooo").hasSuffix("L") == looks)
            // Who has come near enough may sway.
            play.distance = 1.2
            #expect(play(String(repeating: "o", count: 20)).hasSuffix("*") == looks)
            play.distance = 1.3
            #expect(play(String(repeating: "o", count: 20)).hasSuffix("."))
        }
    }

    /// Plays faces through the tracker at 30 frames per second: `o` looks, `a` looks elsewhere.
    private func observation(_ character: Character) -> FaceObservation {
        .sample(gaze: Gaze(yaw: character == "o" ? 1 : 30, pitch: 0), irisDiameter: 0.01)
    }

    @Test("end before their face leaves, and are not longer than its visit")
    func leave() throws {
        var timeline = Timeline()
        _ = timeline.play(String(repeating: "o", count: 31), observation)
        #expect(
            timeline.play(String(repeating: "-", count: 21), observation) == String(repeating: ".", count: 20) + "aL"
        )
        let kinds = timeline.updates.flatMap(\.events).map(\.kind)
        guard case .lookAway(let duration) = kinds[2], case .leave(let dwell, _, _) = kinds[3] else {
            Issue.record("\(kinds)")
            return
        }
        // It looked from its first frame on, and has entered some frames later.
        #expect(abs(duration - dwell) < 0.001 && dwell < 1)
    }

    @Test("are reported at the enter of a face that already looks")
    func early() {
        var options = FaceTracker.Options()
        options.enterDelay = 1
        var timeline = Timeline(options: options)
        let line = timeline.play(String(repeating: "o", count: 32), observation)
        #expect(line == String(repeating: ".", count: 30) + "EK" + ".")
    }

    @Test("a visit adds up what happened in it, and how near and large the face was")
    func visit() throws {
        var timeline = Timeline()
        func observation(_ character: Character) -> FaceObservation {
            var seen = self.observation(character)
            switch character {
            case "s": seen.mouthShape = .level(1, opening: 0.1)
            case "c": (seen.leftLids.height, seen.rightLids.height) = (0, 0)
            case "t": (seen.pose.yaw, seen.bounds) = (50, NormalizedRect(x: 0.4, y: 0.3, width: 0.24, height: 0.24))
            default: break
            }
            return seen
        }
        func line(_ parts: (String, Int)...) -> String { parts.map { String(repeating: $0, count: $1) }.joined() }
        let happened = timeline.play(
            line(("o", 60), ("c", 4), ("o", 60), ("a", 30), ("s", 45), ("a", 30), ("o", 30), ("t", 60), ("-", 30)),
            observation
        )
        #expect(happened.filter { $0 != "." } == "EKBaSeKaL")
        let events = timeline.updates.flatMap(\.events)
        let visit = try #require(events.last?.face.visit)
        #expect((visit.smiles, visit.blinks, visit.looks) == (1, 1, 2))
        func sum(_ isOf: (FaceEvent.Kind) -> Bool) -> Double {
            events.map(\.kind).filter(isOf).compactMap(\.duration).reduce(0, +)
        }
        #expect(visit.lookingSeconds == sum { if case .lookAway = $0 { true } else { false } })
        #expect(visit.smilingSeconds == sum { if case .smileEnd = $0 { true } else { false } })
        #expect(abs(visit.judgedShare - (319 - 3 - 60) / (319 - 3)) < 0.01)
        #expect(abs(visit.largestHeight - 0.24) < 0.01)
        #expect(visit.nearestDistance == timeline.updates.compactMap { $0.faces.first?.distance }.min())
        // Each event has what was known by then, itself included.
        #expect(events.map { $0.face.visit?.looks } == [0, 1, 1, 1, 1, 1, 2, 2, 2])
    }

    @Test("come with gaze and distance in the metadata, both absent for small faces")
    func metadata() throws {
        var timeline = Timeline()
        timeline.tracker.options.fieldOfView = 90
        _ = timeline.play("ooooo", observation)
        let face = try #require(timeline.updates.last?.faces.first)
        #expect(face.gaze == Gaze(yaw: 1, pitch: 0))
        // An iris of 11.7 mm fills a hundredth of a diagonal that is as long as twice the distance.
        #expect(abs(try #require(face.distance) - 0.585) < 0.001)
        #expect(face.looking == nil)
        var small = Timeline()
        _ = small.play("ooooo") { _ in .sample(gaze: Gaze(yaw: 1, pitch: 0), irisDiameter: 0.01, eyeDistance: 20) }
        let far = try #require(small.updates.last?.faces.first)
        #expect(far.gaze == nil && far.distance == nil && far.looking == nil)
    }
}
