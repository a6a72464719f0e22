import FaceMetadata
import Testing

@testable import FaceTracking

@Suite("Blinks and closed eyes")
struct BlinkTests {
    private let noise = Noise()

    /// Digits are the openness of both eyes in ninths of the open eye, with the noise of landmarks; `l` and `r` are a
    /// closed eye at that side.
    private func eyes(_ character: Character) -> FaceObservation {
        let open = FaceObservation.openLids * noise.next(around: 1)
        switch character {
        case "l": return .sample(eyes: (0.05 * open, open))
        case "r": return .sample(eyes: (open, 0.05 * open))
        default:
            let openness = Double(character.wholeNumberValue ?? 9) / 9
            return .sample(eyes: (open * openness, open * openness))
        }
    }

    private let open = String(repeating: "9", count: 45)
    /// Time for the decision.
    private let after = "99999999"

    @Test(
        "a dip that comes back within half a second is a blink, or a wink",
        arguments: [
            ("62149", "B"), ("119", "B"), ("1111111111119", "B"), ("19", "B"), ("1149", "B"), ("lll9", "W"),
            ("rr9", "W"),
            ("79", ""), ("88888889", ""),
        ]
    )
    func blink(dip: String, happened: String) {
        var timeline = Timeline()
        _ = timeline.play(open, eyes)
        #expect(timeline.play(dip + after, eyes).filter { $0 != "." } == happened)
    }

    @Test("a blink is reported a tenth of a second after the eyes opened, with the frame in which they did")
    func decision() throws {
        var timeline = Timeline()
        _ = timeline.play(open + "1111", eyes)
        #expect(timeline.play("999999", eyes) == "...B..")
        let event = try #require(timeline.updates.flatMap(\.events).last)
        #expect(event.stamp == Timeline.stamp(49))
        guard case .blink(.both, let duration) = event.kind else {
            Issue.record("\(event.kind)")
            return
        }
        #expect(abs(duration - 4.5 / 30) < 0.01)
    }

    @Test("one eye of a small or turned face is no wink", arguments: [(50.0, 0.0), (80.0, 20.0)])
    func noWink(eyeDistance: Double, yaw: Double) {
        var timeline = Timeline()
        func eyes(_ character: Character) -> FaceObservation {
            var seen = self.eyes(character)
            seen.eyeDistance = eyeDistance
            seen.pose.yaw = yaw
            return seen
        }
        _ = timeline.play(open, eyes)
        #expect(!timeline.play("lll" + after, eyes).contains("W"))
    }

    @Test(
        "a blink is seen over lost frames, but not over a time without the face",
        arguments: [("11-19", "B"), ("11---9", "B"), ("1xx1x9", "B"), ("1----------9", "")]
    )
    func gapInBlink(dip: String, happened: String) {
        var timeline = Timeline()
        _ = timeline.play(open, eyes)
        #expect(timeline.play(dip + after, eyes).filter { $0 != "." } == happened)
    }

    @Test("what happened before the enter is not told with it, but a smile that lasts is")
    func beforeEnter() {
        var options = FaceTracker.Options()
        options.enterDelay = 2
        let smile = String(repeating: "s", count: 10)
        let rest = String(repeating: "r", count: 15)
        var blinking = Timeline(options: options)
        let blinks = blinking.play(String(open.prefix(30)) + "119" + String(open.prefix(20)) + "119" + open, eyes)
        #expect(blinks.filter { $0 != "." } == "E")
        var smiling = Timeline(options: options)
        #expect(smiling.play(rest + smile + rest + rest + rest, mouth).filter { $0 != "." } == "E")
        var lasting = Timeline(options: options)
        #expect(lasting.play(rest + rest + smile + smile + smile + smile, mouth).filter { $0 != "." } == "ES")
    }

    @Test("eyes closed for more than half a second are told once, and are no blink")
    func closed() {
        var timeline = Timeline()
        _ = timeline.play(open, eyes)
        let happened = timeline.play(String(repeating: "0", count: 240) + "9999" + after, eyes)
        #expect(happened.filter { $0 != "." } == "CO")
        #expect(happened.prefix(17).last == "C")
        #expect(timeline.updates[45 + 239].faces.first?.leftEyeClosed == true)
        #expect(timeline.updates.last?.faces.first?.leftEyeClosed == false)
        let ended = timeline.updates.flatMap(\.events).last
        #expect(ended?.kind.eyes == .both)
        #expect(abs((ended?.kind.duration ?? 0) - 8) < 0.1)
        #expect(timeline.updates[45 + 239].faces.first?.leftEyeOpen == 0)
        #expect(timeline.updates.last?.faces.first?.rightEyeOpen ?? 0 > 0.9)
    }

    @Test("closed eyes end before their face leaves, and are reported at the enter of a face that comes with them")
    func closedAtLeave() {
        let closed = String(repeating: "0", count: 40)
        var timeline = Timeline()
        _ = timeline.play(open + closed, eyes)
        #expect(timeline.play(String(repeating: "-", count: 30)).filter { $0 != "." } == "OL")
        guard case .eyesOpen(.both, let duration) = timeline.updates.flatMap(\.events).suffix(2).first?.kind else {
            Issue.record("no end")
            return
        }
        #expect(abs(duration - 39.0 / 30) < 0.02)
        var options = FaceTracker.Options()
        options.enterDelay = 1
        var early = Timeline(options: options)
        #expect(early.play(closed + "999", eyes).filter { $0 != "." } == "ECO")
    }

    @Test("closed lids that tremble are no blink")
    func asleep() {
        var timeline = Timeline()
        // Digits are ninths of the open eye, whose level is never taken for less than three quarters of the sample's.
        let asleep = String(repeating: "2", count: 45)
        #expect(!timeline.play(asleep + "00" + asleep + "100" + asleep, eyes).contains("B"))
    }

    @Test("eyes that are closed when the face comes are seen as closed")
    func closedFromTheBeginning() {
        var timeline = Timeline()
        #expect(timeline.play(String(repeating: "0", count: 60), eyes).filter { $0 != "." } == "EC")
    }

    @Test("closed eyes are told once, whether the frame rate drops or the face turns away for a moment")
    func closedOverBreak() {
        let closed = String(repeating: "0", count: 40)
        var losing = Timeline()
        _ = losing.play(open + closed, eyes)
        losing.lose(frames: 12)
        #expect(!losing.play(closed + "9999", eyes).contains("C"))
        #expect(losing.play(closed + "9", eyes).filter { $0 == "C" }.count == 1)
        var turning = Timeline()
        _ = turning.play(open + closed, eyes)
        _ = turning.play("t") { _ in .sample(eyes: (0, 0), yaw: 50) }
        #expect(!turning.play(closed + "9999", eyes).contains("C"))
        #expect(turning.play(closed + "9", eyes).filter { $0 == "C" }.count == 1)
    }

    @Test("closed eyes are told at rates too low for blinks", arguments: [5.0, 10.0, 12.5])
    func closedAtLowRate(rate: Double) {
        var timeline = Timeline(rate: rate)
        _ = timeline.play(open, eyes)
        #expect(timeline.play("99" + String(repeating: "0", count: 40) + "9", eyes).filter { $0 != "." } == "CO")
        #expect(timeline.updates.last?.attention.contains(.lowFrameRate) == true)
    }

    @Test("a squint lowers the level, and a blink from it still counts")
    func squint() {
        var timeline = Timeline()
        _ = timeline.play(open + String(repeating: "6", count: 120), eyes)
        #expect(timeline.play("1166" + "66666666", eyes).contains("B"))
    }

    @Test("blinks are off below 15 frames a second, and the conditions say so")
    func lowRate() {
        var timeline = Timeline(rate: 12)
        #expect(timeline.play(open + "119" + after, eyes).filter { $0 != "." } == "E")
        #expect(timeline.updates.last?.attention.contains(.lowFrameRate) == true)
    }

    @Test("a camera of 15 frames a second has blinks, also when it loses a frame", arguments: ["119", "19", "1119"])
    func lowestRate(dip: String) {
        var timeline = Timeline(rate: 15)
        _ = timeline.play(open, eyes)
        #expect(timeline.play(dip + "9999", eyes).contains("B"))
        timeline.lose(frames: 1)
        #expect(timeline.play("9" + dip + "9999", eyes).contains("B"))
        #expect(timeline.updates.allSatisfy { !$0.attention.contains(.lowFrameRate) })
    }

    @Test("a blink at 60 frames a second is one blink")
    func highRate() {
        var timeline = Timeline(rate: 60)
        _ = timeline.play(open + open, eyes)
        #expect(timeline.play("8642111124689" + after + after, eyes).filter { $0 != "." } == "B")
    }

    @Test(
        "closures of any length are blinks or closed eyes at any rate",
        arguments: [15.0, 30, 60, 100, 120, 240, 480, 1000]
    )
    func anyRate(rate: Double) {
        // Half a second may be either, by how far a frame lies from the lids' way.
        for length in stride(from: 0.1, through: 1.4, by: rate > 240 ? 0.02 : 0.04) where abs(length - 0.5) > 0.09 {
            var timeline = Timeline(rate: rate)
            // The eyes open a little wider before they close, so that the fall begins there.
            let parts = [("9", 0.9), ("w", 0.04), ("1", length), ("9", 0.6)]
            let line = parts.map { String(repeating: $0.0, count: max(1, Int(($0.1 * rate).rounded()))) }.joined()
            let happened = timeline.play(line) { character in
                character == "w" ? .sample(eyes: (0.063, 0.063)) : eyes(character)
            }
            #expect(happened.filter { $0 != "." } == (length < 0.5 ? "EB" : "ECO"), "closed for \(length) s")
        }
    }

    @Test("the open level is that of four seconds at any rate", arguments: [30.0, 60, 120, 240, 480, 1000])
    func levelAtAnyRate(rate: Double) throws {
        var timeline = Timeline(rate: rate)
        _ = timeline.play(String(repeating: "9", count: Int(4 * rate)), eyes)
        _ = timeline.play(String(repeating: "7", count: Int(1 * rate)), eyes)
        #expect(try #require(timeline.updates.last?.faces.first?.leftEyeOpen) < 0.85)
    }

    @Test("a face turned away, or too small, has no expression rather than none")
    func unknown() {
        var timeline = Timeline()
        _ = timeline.play("aaaaaa") { _ in .sample(yaw: 50) }
        #expect(timeline.updates.last?.faces.first?.smiling == nil)
        #expect(timeline.updates.last?.faces.first?.leftEyeClosed == nil)
        #expect(timeline.updates.last?.attention.contains(.turnedAway) == true)
        var small = Timeline()
        _ = small.play("aaaaaa") { _ in .sample(eyeDistance: 15) }
        #expect(small.updates.last?.faces.first?.smile == nil)
        #expect(small.updates.last?.attention.contains(.tooSmall) == true)
    }
}

/// The noise of landmarks, the same in every run.
final class Noise {
    private var state: UInt64 = 1

    /// A value within about two hundredths of another one.
    func next(around value: Double) -> Double {
        var sum = -1.0
        for _ in 0..<2 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            sum += Double(state >> 33) / Double(1 << 31)
        }
        return value * (1 + 0.04 * sum)
    }
}
