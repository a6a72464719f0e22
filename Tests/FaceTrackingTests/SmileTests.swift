import FaceMetadata
import Testing

@testable import FaceTracking

/// `s` smiles, `c` with closed lips, `h` less than half as much, `t` and `o` open the mouth as in talk, `r` rests.
func mouth(_ character: Character) -> FaceObservation {
    switch character {
    case "s": .sample(mouth: .level(1, opening: 0.1))
    case "c": .sample(mouth: .level(0.72))
    case "h": .sample(mouth: .level(0.45, opening: 0.1))
    case "t": .sample(mouth: .level(0.75, opening: 0.02))
    case "o": .sample(mouth: .level(0.75, opening: 0.14))
    default: .sample()
    }
}

@Suite("Smiles")
struct SmileTests {
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

    @Test("a grin of six seconds does not hide the smile after it, at any rate", arguments: [15.0, 30, 60, 90])
    func grinBefore(rate: Double) {
        var timeline = Timeline(rate: rate)
        func play(_ level: Double, seconds: Double) -> String {
            timeline.play(String(repeating: "f", count: Int(seconds * rate))) { _ in .sample(mouth: .level(level)) }
        }
        _ = play(0, seconds: 10)
        #expect(!play(0.48, seconds: 6).contains("S"))
        #expect(play(0.9, seconds: 1).contains("S"))
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
}
