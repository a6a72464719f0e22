import FaceMetadata
import Glibc
import Testing

@testable import FaceTracking

@Suite("Faces that are only pictures")
struct StillnessTests {
    private static let options = {
        var options = FaceTracker.Options()
        options.stillAfter = 15
        return options
    }()

    /// The face that a letter means: nothing in it changes (`p`), something does (`m`), nothing was measured (`u`), its
    /// eyes are closed (`c`), it is small (`s`) or turned away (`t`).
    private func face(_ character: Character) -> FaceObservation {
        var face: FaceObservation =
            switch character {
            case "c": .sample(eyes: (0.005, 0.005))
            case "s": .sample(eyeDistance: 20)
            case "t": .sample(yaw: 40)
            default: .sample()
            }
        if character != "u" { face.ownMotion = character == "m" ? .movement : .rest(size: 1) }
        return face
    }

    /// The seconds at whose end a face is still that shows what each letter says for a second.
    private func still(_ seconds: String) -> [Int] {
        var timeline = Timeline(rate: 15, options: Self.options)
        return seconds.enumerated().compactMap { second, character in
            _ = timeline.play(String(repeating: character, count: 15), face)
            return timeline.updates.last?.faces.first?.still == true ? second : nil
        }
    }

    private let rest = String(repeating: "p", count: 16)

    @Test("still once nothing has moved for so long, until something does")
    func movement() {
        #expect(still(rest + "ppp") == [15, 16, 17, 18])
        #expect(still(rest + "m" + rest) == [15, 31, 32])
        #expect(still("pppppppmppppppppmppppppppp").isEmpty)
    }

    @Test("one frame that differs by chance does not count, a second one soon after does")
    func chance() {
        func isStill(every interval: Double) -> Bool {
            var timeline = Timeline(rate: 15, options: Self.options)
            for frame in 0..<900 {
                let isOdd = frame > 0 && frame % Int(15 * interval) == 0
                _ = timeline.play(isOdd ? "m" : "p", face)
            }
            return timeline.updates.last?.faces.first?.still == true
        }
        #expect(isStill(every: 11) && !isStill(every: 8))
    }

    @Test("what cannot be measured is never still", arguments: ["u", "s", "t", "c", "m"])
    func unknown(character: String) {
        #expect(still(String(repeating: character, count: 18)).isEmpty)
        #expect(still(rest + String(repeating: character, count: 5)).last ?? 0 < 19)
    }

    @Test("eyes that are taken for closed now and then are not asleep")
    func screwedUp() {
        #expect(still("ppppcpppppcpppppp") == [15, 16])
    }

    /// Whether a face is still after a minute whose size goes to and fro, and which moves through the picture as a
    /// whole.
    private func isStill(breathing share: Double, period: Double, sway: Double) -> Bool {
        var timeline = Timeline(rate: 15, options: Self.options)
        for frame in 0..<900 {
            let time = Double(frame) / 15
            var face = FaceObservation.sample(x: 0.4 + 0.2 * sway * sin(2.1 * time))
            face.ownMotion = .rest(size: 1 + share / 2 * sin(2 * .pi * time / period))
            _ = timeline.play("p") { _ in face }
        }
        return timeline.updates.contains { $0.faces.first?.still == true }
    }

    @Test("a face that breathes is not still, one that a hand moves or that hardly changes its size is")
    func breathing() {
        for period in [3, 4, 5] as [Double] {
            #expect(!isStill(breathing: 0.01, period: period, sway: 0))
            #expect(!isStill(breathing: 0.01, period: period, sway: 0.02))
            #expect(isStill(breathing: 0.01, period: period, sway: 0.1))
            #expect(isStill(breathing: 0.004, period: period, sway: 0))
        }
    }

    @Test("leaves with its reason when pictures are ignored, and says what need not be followed any more")
    func ignored() throws {
        var options = Self.options
        options.ignoresStill = true
        var timeline = Timeline(rate: 15, options: options)
        _ = timeline.play(String(repeating: "p", count: 232), face)
        let left = try #require(timeline.updates.first { !$0.setAside.isEmpty })
        guard case .leave(let dwell, _, reason: .still)? = left.events.first?.kind else {
            Issue.record("\(left.events)")
            return
        }
        #expect(dwell > 14 && left.events.count == 1)
        #expect(left.faces.isEmpty && left.setAside == [1])
    }
}
