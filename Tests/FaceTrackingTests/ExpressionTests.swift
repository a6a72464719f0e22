import FaceMetadata
import FaceTracking
import Testing

@Suite("Expressions")
struct ExpressionTests {
    /// Digits are the openness of both eyes in tenths of a wide-open eye; `l` and `r` are a closed eye at that side.
    private func eyes(_ character: Character) -> FaceObservation {
        switch character {
        case "l": return .sample(eyes: (0.04, 0.3))
        case "r": return .sample(eyes: (0.3, 0.04))
        default:
            let openness = 0.3 * Double(character.wholeNumberValue ?? 9) / 9
            return .sample(eyes: (openness, openness))
        }
    }

    private let open = String(repeating: "9", count: 15)

    @Test(
        "a dip that comes back is a blink, told when the eyes are open again",
        arguments: [
            ("62149", "....B"),
            ("119", "..B"),
            ("111111111119", "...........B"),
            ("79", ".."),
            ("666666669", "........."),
            ("lll9", "...W"),
            ("rr9", "..W"),
        ]
    )
    func blink(dip: String, happened: String) {
        var timeline = Timeline()
        _ = timeline.play(open, eyes)
        #expect(timeline.play(dip, eyes) == happened)
    }

    @Test(
        "a blink is seen over lost frames, but not over a time without the face",
        arguments: [("11-19", "....B"), ("11---9", ".....B"), ("1xx1x9", ".....B"), ("1----------9", "............")]
    )
    func gapInBlink(dip: String, happened: String) {
        var timeline = Timeline()
        _ = timeline.play(open, eyes)
        #expect(timeline.play(dip, eyes) == happened)
    }

    @Test("what happened before the enter is not told with it, but a smile that lasts is")
    func beforeEnter() {
        var parameters = FaceTracker.Parameters()
        parameters.enterDelay = 2
        let smile = String(repeating: "s", count: 10)
        let rest = String(repeating: "r", count: 15)
        var blinking = Timeline(parameters: parameters)
        let blinks = blinking.play(open + "119" + open + "119" + open + open, eyes)
        #expect(blinks.filter { $0 != "." } == "E")
        var smiling = Timeline(parameters: parameters)
        #expect(smiling.play(rest + smile + rest + rest + rest, mouth).filter { $0 != "." } == "E")
        var lasting = Timeline(parameters: parameters)
        #expect(lasting.play(rest + rest + smile + smile + smile + smile, mouth).filter { $0 != "." } == "ES")
    }

    @Test("eyes closed for more than half a second are told once, and are no blink")
    func closed() {
        var timeline = Timeline()
        _ = timeline.play(open, eyes)
        let happened = timeline.play(String(repeating: "0", count: 40) + "9999", eyes)
        #expect(happened == "................C...........................")
        #expect(timeline.updates[40].faces.first?.leftEyeClosed == true)
        #expect(timeline.updates.last?.faces.first?.leftEyeClosed == false)
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
        _ = turning.play(closed, eyes)
        #expect(turning.play("t", { _ in .sample(yaw: 50) }) == ".")
        #expect(turning.play("9" + closed, eyes).filter { $0 == "C" }.count == 1)
    }

    @Test("closed eyes are told at rates too low for blinks", arguments: [5.0, 10.0, 12.5])
    func closedAtLowRate(rate: Double) {
        var timeline = Timeline(rate: rate)
        _ = timeline.play(open, eyes)
        #expect(timeline.play("99" + String(repeating: "0", count: 40) + "9", eyes).filter { $0 != "." } == "C")
        #expect(timeline.updates.last?.conditions.isRateLow == true)
    }

    @Test("tells which eyes and for how long")
    func duration() throws {
        var timeline = Timeline()
        _ = timeline.play(open + "1111", eyes)
        _ = timeline.play("9", eyes)
        let event = try #require(timeline.updates.last?.events.first)
        guard case .blink(.both, let duration) = event.kind else {
            Issue.record("\(event.kind)")
            return
        }
        #expect(abs(duration - 4.0 / 30) < 1e-9)
    }

    @Test("a squint lowers the level, and a blink from it still counts")
    func squint() {
        var timeline = Timeline()
        _ = timeline.play(open + String(repeating: "6", count: 120), eyes)
        let happened = timeline.play("1169", eyes)
        #expect(happened.contains("B"))
    }

    @Test("blinks are off below 15 frames a second, and the conditions say so")
    func lowRate() {
        var timeline = Timeline(rate: 12)
        #expect(timeline.play(open + "119", eyes) == ".." + "E" + String(repeating: ".", count: 15))
        #expect(timeline.updates.last?.conditions.isRateLow == true)
    }

    @Test("a camera of 15 frames a second has blinks, also when it loses a frame", arguments: ["119", "19", "1119"])
    func lowestRate(dip: String) {
        var timeline = Timeline(rate: 15)
        _ = timeline.play(open, eyes)
        #expect(timeline.play(dip + "9999", eyes).contains("B"))
        timeline.lose(frames: 1)
        #expect(timeline.play("9" + dip, eyes).contains("B"))
        #expect(timeline.updates.allSatisfy { !$0.conditions.isRateLow })
    }

    @Test("a face turned away, or too small, has no expression rather than none")
    func unknown() {
        var timeline = Timeline()
        _ = timeline.play("aaaaaa") { _ in .sample(yaw: 50) }
        #expect(timeline.updates.last?.faces.first?.smiling == nil)
        #expect(timeline.updates.last?.faces.first?.leftEyeClosed == nil)
        #expect(timeline.updates.last?.conditions.isTurnedAway == true)
        var small = Timeline()
        _ = small.play("aaaaaa") { _ in .sample(eyeDistance: 15) }
        #expect(small.updates.last?.faces.first?.smile == nil)
        #expect(small.updates.last?.conditions.isTooSmall == true)
    }

    /// `s` smiles, `t` opens the mouth wide in talk, `r` rests, `w` widens without lift.
    private func mouth(_ character: Character) -> FaceObservation {
        switch character {
        case "s": .sample(mouthWidth: 0.72, lift: 0.06)
        case "t": .sample(mouthWidth: 0.50, lift: 0.02)
        case "w": .sample(mouthWidth: 0.66, lift: -0.02)
        default: .sample()
        }
    }

    @Test("a smile held for 200 ms is told once")
    func smile() {
        var timeline = Timeline()
        _ = timeline.play(String(repeating: "r", count: 20), mouth)
        #expect(timeline.play("ssssssssssssssssss", mouth) == "......S...........")
        #expect(timeline.updates.last?.faces.first?.smiling == true)
    }

    @Test("a twitch, talk and a wide mouth are no smile", arguments: ["ssssrr", "ttrrttttrrtt", "wwwwwwwwwwwwwwww"])
    func noSmile(line: String) {
        var timeline = Timeline()
        _ = timeline.play(String(repeating: "r", count: 20), mouth)
        let happened = timeline.play(line + line, mouth)
        #expect(!happened.contains("S"))
    }

    @Test("a second smile counts after the first has ended and a pause")
    func secondSmile() {
        var timeline = Timeline()
        let rest = String(repeating: "r", count: 45)
        let smile = String(repeating: "s", count: 15)
        let happened = timeline.play(rest + smile + rest + smile, mouth)
        #expect(happened.filter { $0 == "S" }.count == 2)
    }

    @Test("a flicker of the mouth does not end a smile")
    func flicker() {
        var timeline = Timeline()
        _ = timeline.play(String(repeating: "r", count: 20) + "ssssssssss", mouth)
        let happened = timeline.play("rrrssssssssssssssssss", mouth)
        #expect(!happened.contains("S"))
        #expect(timeline.updates.suffix(happened.count).allSatisfy { $0.faces.first?.smiling == true })
    }

    @Test("two moments with a gap between them are neither a smile nor its end", arguments: ["small", "unseen"])
    func gapInSmile(gap: String) {
        var timeline = Timeline()
        func pass() {
            if gap == "small" {
                _ = timeline.play(String(repeating: "a", count: 15)) { _ in .sample(eyeDistance: 20) }
            } else {
                _ = timeline.play(String(repeating: "-", count: 15))
            }
        }
        _ = timeline.play(String(repeating: "r", count: 20) + "s", mouth)
        pass()
        #expect(timeline.play("srrrr", mouth) == ".....")
        #expect(timeline.play("ssssssssss", mouth).contains("S"))
        _ = timeline.play("r", mouth)
        pass()
        _ = timeline.play("r", mouth)
        #expect(timeline.updates.last?.faces.first?.smiling == true)
        _ = timeline.play("rrrrrrrrrr", mouth)
        #expect(timeline.updates.last?.faces.first?.smiling == false)
    }
}
