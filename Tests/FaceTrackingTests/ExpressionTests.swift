import FaceMetadata
import Testing

@testable import FaceTracking

@Suite("Expressions")
struct ExpressionTests {
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

    /// `s` smiles, `c` with closed lips, `h` less than half as much, `t` and `o` open the mouth as in talk, `r` rests.
    private func mouth(_ character: Character) -> FaceObservation {
        switch character {
        case "s": .sample(mouth: .level(1, opening: 0.1))
        case "c": .sample(mouth: .level(0.72))
        case "h": .sample(mouth: .level(0.45, opening: 0.1))
        case "t": .sample(mouth: .level(0.75, opening: 0.02))
        case "o": .sample(mouth: .level(0.75, opening: 0.14))
        default: .sample()
        }
    }

    private let rest = String(repeating: "r", count: 45)

    @Test("a smile held for a tenth of a second is told once", arguments: ["s", "c"])
    func smile(kind: String) {
        var timeline = Timeline()
        _ = timeline.play(rest, mouth)
        let happened = timeline.play(String(repeating: kind, count: 30), mouth)
        #expect(happened.filter { $0 != "." } == "S")
        #expect(happened.prefix(7).contains("S"))
        #expect(timeline.updates.last?.faces.first?.smiling == true)
    }

    @Test(
        "a twitch and talk are no smile",
        arguments: ["srrrrrr", "tottotootot", "totototototototototototo"]
    )
    func noSmile(line: String) {
        var timeline = Timeline()
        _ = timeline.play(rest, mouth)
        #expect(!timeline.play(line + line, mouth).contains("S"))
    }

    @Test("teeth that talk bares for a moment, again and again, are no smile, a smile that lasts meanwhile is")
    func baredTeeth() {
        var timeline = Timeline()
        var frame = 0
        func play(_ line: String) -> String {
            timeline.play(line) { character in
                frame += 1
                let opening = frame % 4 < 2 ? 0.02 : 0.1
                return .sample(mouth: .level(character == "b" ? 1.05 : 0.2, opening: opening))
            }
        }
        _ = play(String(repeating: "r", count: 45))
        #expect(!play(String(repeating: "bbbbbrrrrr", count: 12)).contains("S"))
        #expect(play(String(repeating: "b", count: 30)).filter { $0 != "." } == "S")
    }

    @Test("a smile is reported in the first frame in which it has lasted for the hold", arguments: [15.0, 30, 60])
    func hold(rate: Double) throws {
        func frames(after hold: Double, lasting seconds: Double) -> (begin: Int?, end: Int?) {
            var options = FaceTracker.Options()
            options.smile.hold = hold
            var timeline = Timeline(rate: rate, options: options)
            let line = [("r", 1.5), ("s", seconds), ("r", 1)].map { String(repeating: $0.0, count: Int($0.1 * rate)) }
            let happened = Array(timeline.play(line.joined(), mouth))
            return (happened.firstIndex(of: "S"), happened.firstIndex(of: "e"))
        }
        let now = frames(after: 0, lasting: 2)
        let held = frames(after: 0.5, lasting: 2)
        #expect(try #require(held.begin) - #require(now.begin) == Int((0.5 * rate).rounded(.up)))
        #expect(held.end != nil && held.end == now.end)
        // One that is over by then is none, and neither is its end.
        let short = frames(after: 0.5, lasting: 0.4)
        #expect(frames(after: 0, lasting: 0.4).begin != nil && short.begin == nil && short.end == nil)
    }

    @Test("a lower level finds weaker smiles, a higher one only stronger ones")
    func ownLevel() {
        func counts(_ level: Double, from own: Double) -> Bool {
            var options = FaceTracker.Options()
            options.smile.level = own
            var timeline = Timeline(options: options)
            _ = timeline.play(rest, mouth)
            let happened = timeline.play(String(repeating: "s", count: 30)) { _ in .sample(mouth: .level(level)) }
            return happened.contains("S")
        }
        #expect(counts(0.5, from: 0.45) && !counts(0.5, from: 0.7))
        #expect(counts(1.05, from: 1) && !counts(0.85, from: 1))
    }

    @Test("a mouth held wide open in surprise is no smile")
    func surprise() {
        var timeline = Timeline()
        _ = timeline.play(rest, mouth)
        // As recorded of a surprised speaker.
        let wide = FaceObservation.MouthShape.level(0.88, opening: 0.57, cornerDrop: 0.245)
        #expect(!timeline.play(String(repeating: "o", count: 60)) { _ in .sample(mouth: wide) }.contains("S"))
        // A laugh opens the mouth too, but its corners are up.
        let laugh = FaceObservation.MouthShape.level(1, opening: 0.33, cornerDrop: 0.055)
        #expect(timeline.play(String(repeating: "l", count: 30)) { _ in .sample(mouth: laugh) }.contains("S"))
    }

    @Test("every frame's landmarks are needed while talk is near a smile or one begins or ends, otherwise not")
    func everyFrame() {
        func isNeeded(after line: String, _ level: Double, opening: (Int) -> Double = { _ in 0.05 }) -> Bool {
            var timeline = Timeline()
            var frame = 0
            _ = timeline.play(rest, mouth)
            _ = timeline.play(line, mouth)
            #expect(timeline.tracker.needingEveryFrame.isEmpty)
            _ = timeline.play(String(repeating: "f", count: 45)) { _ in
                frame += 1
                return .sample(mouth: .level(level, opening: opening(frame)))
            }
            return timeline.tracker.needingEveryFrame == [1]
        }
        func talk(_ frame: Int) -> Double { frame % 6 < 3 ? 0.02 : 0.1 }
        #expect(isNeeded(after: "", 0.35, opening: talk) && !isNeeded(after: "", 0.25, opening: talk))
        #expect(!isNeeded(after: "", 0.35))
        // A smile that lasts, once it is told.
        let smile = String(repeating: "s", count: 20)
        #expect(!isNeeded(after: smile, 1) && !isNeeded(after: "", 0))
        // Below 0.58 of its highest level, for less than smileMerge.
        var ending = Timeline()
        _ = ending.play(rest + smile + "hhhhhhhh", mouth)
        #expect(ending.tracker.needingEveryFrame == [1])
        var beginning = Timeline()
        #expect(!beginning.play(rest + "ssc", mouth).contains("S") && beginning.tracker.needingEveryFrame == [1])
    }

    @Test("a mouth wide open in laughter counts once it has lasted, one that cries for a second and a half does not")
    func wideLaugh() {
        let wide = FaceObservation.MouthShape.level(0.7, opening: 0.36, cornerDrop: 0.105)
        var laughing = Timeline()
        _ = laughing.play(rest, mouth)
        let happened = laughing.play(String(repeating: "l", count: 70)) { _ in .sample(mouth: wide) }
        #expect(happened.filter { $0 != "." } == "MS")
        // By the mean of two seconds.
        #expect(!happened.prefix(50).contains("S"))
        var crying = Timeline()
        _ = crying.play(rest, mouth)
        let line = String(repeating: "l", count: 45) + rest
        #expect(!crying.play(line) { $0 == "l" ? .sample(mouth: wide) : .sample() }.contains("S"))
    }

    @Test("a weak smile counts once it has lasted for 0.8 s, bared teeth never")
    func weakSmile() {
        var timeline = Timeline()
        _ = timeline.play(rest, mouth)
        let weak = FaceObservation.MouthShape.level(0.65)
        let happened = timeline.play(String(repeating: "w", count: 60)) { _ in .sample(mouth: weak) }
        #expect(happened.filter { $0 != "." } == "S")
        #expect(!happened.prefix(23).contains("S"))
        var other = Timeline()
        _ = other.play(rest, mouth)
        // As recorded of a man who bares his teeth.
        let teeth = FaceObservation.MouthShape.level(0.66, opening: 0.16, cornerDrop: 0.062)
        #expect(!other.play(String(repeating: "t", count: 60)) { _ in .sample(mouth: teeth) }.contains("S"))
    }

    @Test("a level that rises little above what the face looked like before is no smile, also soon after it came")
    func crying() {
        var timeline = Timeline()
        _ = timeline.play(String(repeating: "c", count: 18)) { _ in .sample(mouth: .level(0.45)) }
        let happened = timeline.play(String(repeating: "C", count: 24)) { _ in .sample(mouth: .level(0.88)) }
        #expect(!happened.contains("S"))
        var smiling = Timeline()
        #expect(smiling.play(String(repeating: "s", count: 18), mouth).contains("S"))
    }

    @Test("a smile that a face comes in with counts once it has lasted for 0.8 s, and its end as any other's")
    func arriving() {
        var timeline = Timeline()
        // Too weak to be 0.5 above a resting level that is learnt from it.
        let happened = timeline.play(String(repeating: "w", count: 40)) { _ in .sample(mouth: .level(0.65)) }
        #expect(happened.filter { $0 != "." } == "ES")
        #expect(!happened.prefix(24).contains("S") && happened.prefix(26).contains("S"))
        #expect(timeline.play(rest + "ssssssssss", mouth).filter { $0 != "." } == "eS")
        var weaker = Timeline()
        let none = weaker.play(String(repeating: "w", count: 90)) { _ in .sample(mouth: .level(0.55)) }
        #expect(!none.contains("S"))
    }

    @Test("a second smile counts after the first has ended")
    func secondSmile() {
        var timeline = Timeline()
        let smile = String(repeating: "s", count: 15)
        let happened = timeline.play(rest + smile + rest + smile, mouth)
        #expect(happened.filter { $0 != "." } == "ESeS")
    }

    @Test("a laugh, which weakens and comes back within smileMerge, is one smile", arguments: [0.0, 0.5, 1])
    func laugh(merge: Double) {
        var options = FaceTracker.Options()
        options.smileMerge = merge
        var timeline = Timeline(options: options)
        let laugh = String(repeating: "s", count: 15) + String(repeating: "h", count: 15)
        let happened = timeline.play(rest + laugh + laugh + laugh, mouth).filter { $0 != "." }
        #expect(happened == (merge == 0 ? "ESeSeSe" : "ES"))
    }

    @Test("the end of a smile has its duration and its highest level, and the metadata follow both events")
    func smileEnd() throws {
        var timeline = Timeline()
        _ = timeline.play(rest + String(repeating: "s", count: 60) + rest, mouth)
        let events = timeline.updates.flatMap(\.events)
        let began = try #require(events.dropFirst().first)
        let ended = try #require(events.last)
        guard case .smileEnd(let duration, let peak) = ended.kind else {
            Issue.record("\(ended.kind)")
            return
        }
        #expect(abs(duration - (ended.stamp.mediaTime - began.stamp.mediaTime)) < 1e-9)
        #expect(abs(duration - 2) < 0.2)
        #expect(peak == 1)
        for (frame, update) in timeline.updates.enumerated() where frame >= 3 {
            let isBetween = (began.stamp.frame..<ended.stamp.frame).contains(frame)
            #expect(update.faces.first?.smiling == isBetween)
        }
    }

    @Test("a smile ends before its face leaves, also one that was turned away meanwhile, and only if it was told")
    func leaveSmiling() {
        let smile = String(repeating: "s", count: 20)
        let gone = String(repeating: "-", count: 30)
        var timeline = Timeline()
        #expect(timeline.play(rest + smile + gone, mouth).filter { $0 != "." } == "ESeL")
        _ = timeline.play(rest + smile, mouth)
        _ = timeline.play("aaaa") { _ in .sample(yaw: 50) }
        let events = timeline.tracker.endAll(reason: .disabled, at: Timeline.stamp(1000))
        #expect(events.count == 2)
        guard case .smileEnd? = events.first?.kind, case .leave? = events.last?.kind else {
            Issue.record("\(events.map(\.kind))")
            return
        }
        var options = FaceTracker.Options()
        options.enterDelay = 2
        var early = Timeline(options: options)
        // The smile ends in the very frame of the enter.
        let ending = String(repeating: "r", count: 41) + smile.prefix(15) + "rrrrrr"
        #expect(early.play(ending, mouth).filter { $0 != "." } == "E")
    }

    @Test("a flicker of the mouth does not end a smile")
    func flicker() {
        var timeline = Timeline()
        _ = timeline.play(rest + "ssssssssss", mouth)
        let happened = timeline.play("rrssssssssssssssssss", mouth)
        #expect(!happened.contains("S"))
        #expect(timeline.updates.suffix(happened.count).allSatisfy { $0.faces.first?.smiling == true })
    }

    @Test("two moments with a gap between them are no smile", arguments: ["small", "unseen"])
    func gapInSmile(gap: String) {
        var timeline = Timeline()
        _ = timeline.play(rest + "ss", mouth)
        if gap == "small" {
            _ = timeline.play(String(repeating: "a", count: 15)) { _ in .sample(eyeDistance: 20) }
        } else {
            _ = timeline.play(String(repeating: "-", count: 15))
        }
        #expect(timeline.play("ssrrrr", mouth) == "......")
        // Lips that moved up and down this often count as talk for four seconds.
        _ = timeline.play(String(repeating: "r", count: 120), mouth)
        #expect(timeline.play("ssssssssss", mouth).contains("S"))
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
