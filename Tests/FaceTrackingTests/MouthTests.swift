import FaceMetadata
import FacetTestSupport
import Testing

@testable import FaceTracking

@Suite("Mouths, and the last minute of the eyes")
struct MouthTests {
    /// Digits are the lips' opening in tenths of a wide yawn.
    private func lips(_ character: Character) -> FaceObservation {
        .sample(mouth: .level(0, opening: 0.06 * Double(character.wholeNumberValue ?? 0)))
    }

    @Test(
        "a mouth that is wide open for half a second is reported, once until it has closed",
        arguments: [15.0, 30, 60]
    )
    func wideOpen(rate: Double) {
        func play(_ seconds: [(Character, Double)]) -> String {
            var timeline = Timeline(rate: rate)
            let line = seconds.map { String(repeating: $0, count: Int(($1 * rate).rounded())) }.joined()
            return timeline.play(line, lips).filter { $0 != "." }
        }
        #expect(play([("0", 1), ("9", 0.45), ("0", 1), ("9", 0.45)]) == "E")
        #expect(play([("0", 1), ("9", 0.6), ("4", 1), ("9", 1), ("0", 0.2), ("6", 1)]) == "EMM")
        #expect(play([("4", 3)]) == "E")
        // A mouth that cannot be seen for a while may have closed meanwhile.
        #expect(play([("0", 1), ("9", 0.4), ("-", 0.3), ("9", 0.4)]) == "E")
    }

    @Test("lips that open and close again and again talk, a yawn does not", arguments: [15.0, 30, 60])
    func talking(rate: Double) {
        func talks(_ line: String, syllable: Double) -> [Bool?] {
            var timeline = Timeline(rate: rate)
            _ = timeline.play(
                line.map { String(repeating: $0, count: Int((syllable * rate).rounded())) }.joined(),
                lips
            )
            return timeline.updates.map { $0.faces.first?.talking }
        }
        let talk = talks("0303030303030303030303000000000000000000000000000", syllable: 0.1)
        #expect(talk.prefix(Int(0.3 * rate)).allSatisfy { $0 == nil })
        #expect(talk[Int(2 * rate)] == true)
        #expect(talk.last == false)
        #expect(!talks("000000000000000000013588888888853100000000000000", syllable: 0.1).contains(true))
    }

    @Test("whether a face talks is unknown again where it comes back after a while")
    func talkingBeforeAGap() {
        var options = FaceTracker.Options()
        options.patience = 10
        var timeline = Timeline(options: options)
        _ = timeline.play(String(repeating: "003333003300", count: 8), lips)
        #expect(timeline.updates.last?.faces.first?.talking == true)
        _ = timeline.play(String(repeating: "-", count: 90) + "0", lips)
        let back = timeline.updates.last?.faces.first
        #expect(back?.faceID.rawValue == 1 && back?.mouthOpen == 0 && back?.talking == nil)
    }

    @Test("nothing is said of a mouth that cannot be seen, nor of talk at rates too low for it")
    func unknown() {
        var timeline = Timeline()
        _ = timeline.play("0000000000") { _ in .sample(yaw: 50) }
        #expect(timeline.updates.last?.faces.first?.mouthOpen == nil)
        var slow = Timeline(rate: 10)
        _ = slow.play(String(repeating: "0", count: 50), lips)
        #expect(slow.updates.last?.faces.first?.talking == nil)
        #expect(slow.updates.last?.faces.first?.mouthOpen == 0)
    }

    @Test("blinks and closed eyes are counted over the last minute, per minute in which the eyes were seen")
    func lastMinute() throws {
        var timeline = Timeline()
        // Two blinks every ten seconds, and one second of closed eyes.
        let ten = (0..<300).map { frame in [100, 101, 102, 103, 200, 201, 202, 203].contains(frame) ? "c" : "o" }
            .joined()
        let closed = ten.dropLast(30) + String(repeating: "c", count: 30)
        func eyes(_ character: Character) -> FaceObservation {
            switch character {
            case "c": .sample(eyes: (0, 0))
            case "t": .sample(yaw: 50)
            default: .sample()
            }
        }
        var figures: (blinks: Double?, closed: Double?) {
            let face = timeline.updates.last?.faces.first
            return (face?.blinksPerMinute, face?.eyesClosedShare)
        }
        _ = timeline.play(ten + ten + ten.prefix(285), eyes)
        #expect(figures == (nil, nil))
        _ = timeline.play(ten + ten + closed + ten, eyes)
        #expect(abs(try #require(figures.blinks) - 12) < 1)
        let twelve = 12 * 4.0 / 30
        #expect(abs(try #require(figures.closed) - (twelve + 1) / 60) < 0.01)
        // Turned away for half a minute: half of the blinks in half of the time.
        _ = timeline.play(String(repeating: "t", count: 810), eyes)
        #expect(figures == (nil, nil))
        _ = timeline.play("ooooo", eyes)
        #expect(abs(try #require(figures.blinks) - 12) < 3)
        var slow = Timeline(rate: 12)
        _ = slow.play(String(repeating: "o", count: 600), eyes)
        #expect(slow.updates.last?.attention.contains(.lowFrameRate) == true)
        #expect(slow.updates.last?.faces.first?.blinksPerMinute == nil)
        #expect(slow.updates.last?.faces.first?.rightEyeOpen == 1)
    }
}

@Suite("Talk on recorded landmarks")
struct TalkTraceTests {
    /// Clips in which people speak nearly all the time, and clips without talk: faces at rest, silent smiles and yawns.
    private static let clips = (
        talk: ["fsgan/", "grid/", "latentsync/", "sadtalker/", "talk/", "videoretalking/", "iplap/"],
        silent: [
            "asl/again", "asl/brother", "asl/help", "asl/milk", "asl/no", "asl/please", "asl/school", "asl/student",
            "blink_vdotup/", "blinkdetect/", "closed_eyes/", "drows", "emotiontimeline/", "eulerian/", "face_presence/",
            "face_mask", "faceswap/", "face_mesh/", "face_landmark/", "headpose", "mouse_demo/", "newml/smile",
            "smile_detection/", "study_repo/",
        ]
    )

    @Test(
        "people who speak talk in nine tenths of the time, others in a tenth at most; no mouth is wide open in speech"
    )
    func talk() throws {
        func share(_ figure: String, _ prefixes: [String]) throws -> (share: Double, seconds: Double, open: Int) {
            var talking = 0.0
            var all = 0.0
            var open = 0
            for name in try Trace.labels().keys.sorted() where prefixes.contains(where: name.hasPrefix) {
                var last: [Int: Double] = [:]
                let earlier = (talking, all)
                let events = try Trace(name).events { seen, state in
                    defer { last[seen.lineage] = seen.time }
                    guard let before = last[seen.lineage], let isTalking = state.isTalking else { return }
                    all += seen.time - before
                    if isTalking { talking += seen.time - before }
                }
                open += events.count { $0.name == "mouth_open" }
                ClipCount(figure, in: name, of: all - earlier.1, right: talking - earlier.0).print()
            }
            return (talking / all, all, open)
        }
        let talk = try share("seconds of talk that are talking", Self.clips.talk)
        let silent = try share("seconds of silence that are talking", Self.clips.silent)
        print("talk: \(talk), silent: \(silent)")
        #expect(talk.seconds > 60 && silent.seconds > 150)
        #expect(talk.share >= 0.9)
        #expect(silent.share <= 0.1)
        #expect(talk.open == 0)
    }
}
