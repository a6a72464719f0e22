import FaceMetadata
import FacetTestSupport
import Glibc
import Testing

@testable import FaceTracking

extension Trace {
    /// The signs that are seen, in order.
    func signs(isMirrored: Bool = false) -> [(sign: FaceEvent.Sign, lineage: Int, time: Double)] {
        var faces: [Int: (eyes: EyeDetector, signs: SignDetector, thinning: Thinning)] = [:]
        var found: [(sign: FaceEvent.Sign, lineage: Int, time: Double)] = []
        for seen in sightings {
            var face = faces[seen.lineage] ?? (EyeDetector(), SignDetector(), Thinning())
            // As a track does.
            let isSample = face.thinning.takes(seen.time)
            var observation = FaceObservation.sample(mouth: seen.mouth, yaw: seen.yaw, eyeDistance: seen.eyeDistance)
            (observation.leftLids, observation.rightLids) = (seen.leftLids, seen.rightLids)
            observation.pose.pitch = seen.pitch
            let stamp = FrameStamp(frame: seen.frame, time: Timestamp(nanoseconds: 0), mediaTime: seen.time)
            var options = FaceTracker.Options()
            options.isMirrored = isMirrored
            let context = FrameContext(observation: observation, stamp: stamp, frameRate: 30, options: options)
            if isSample { _ = face.eyes.advance(context) }
            let sign = isSample ? face.signs.advance(eyes: face.eyes.seen, context) : nil
            if case .sign(let sign)? = sign { found.append((sign, seen.lineage, seen.time)) }
            faces[seen.lineage] = face
        }
        return found
    }
}

/// The movement of a person who makes a sign, from its first moment on.
private struct Motion {
    /// Degrees.
    var (yaw, pitch) = (0.0, 0.0)
    /// Shares of the open lids' height.
    var left = 1.0
    var right = 1.0

    init(_ sign: FaceEvent.Sign, at seconds: Double) {
        func isClosed(_ span: ClosedRange<Double>) -> Bool { span.contains(seconds) }
        switch sign {
        case .longBlink: if isClosed(0...1) { (left, right) = (0.05, 0.05) }
        case .doubleBlink: if isClosed(0...0.2) || isClosed(0.4...0.6) { (left, right) = (0.05, 0.05) }
        // The cheek lifts the other lid too.
        case .winkLeft: if isClosed(0...0.5) { (left, right) = (0.8, 0.05) }
        case .winkRight: if isClosed(0...0.5) { (left, right) = (0.05, 0.8) }
        case .nod: if isClosed(0...1.2) { pitch = -7 * (1 - cos(seconds / 0.6 * 2 * .pi)) }
        case .shake: if isClosed(0...1.2) { yaw = 12 * sin(seconds / 0.6 * 2 * .pi) }
        }
    }
}

@Suite("Signs made on purpose, in the noise of a recorded face")
struct SignTests {
    /// The seconds of a clip in which a silent face is still.
    private static let still = (name: "mouse_demo/bin_demo.mp4", from: 0.0, to: 8.0)

    /// A still face that makes a sign after four seconds.
    private func trace(_ sign: FaceEvent.Sign?, rate: Double, seed: Int? = nil, isSwapped: Bool = false) throws -> Trace
    {
        var trace = try Trace(Self.still.name)
        trace.sightings.removeAll { !(Self.still.from..<Self.still.to).contains($0.time) || $0.lineage != 1 }
        if let seed { trace.addNoise(seed: UInt64(seed)) }
        let recorded = trace.sightings
        trace.sightings = stride(from: recorded[0].time, to: recorded[recorded.count - 1].time, by: 1 / rate).map {
            time in
            let index = recorded.lastIndex { $0.time <= time } ?? 0
            var seen = recorded[index]
            seen.time = time
            let motion = sign.map { Motion($0, at: time - recorded[0].time - 4) }
            guard let motion else { return seen }
            seen.yaw += motion.yaw
            seen.pitch += motion.pitch
            seen.leftLids.height *= motion.left
            seen.rightLids.height *= motion.right
            if isSwapped {
                (seen.leftLids, seen.rightLids) = (seen.rightLids, seen.leftLids)
                seen.yaw = -seen.yaw
            }
            return seen
        }
        return trace
    }

    @Test(
        "each is seen at 15 to 240 frames per second",
        arguments: FaceEvent.Sign.allCases,
        [15.0, 20, 25, 30, 40, 50, 60, 120, 240]
    )
    func rate(sign: FaceEvent.Sign, rate: Double) throws {
        let found = try trace(sign, rate: rate).signs()
        #expect(found.map(\.sign) == [sign])
    }

    @Test("each is seen with the noise once more", arguments: FaceEvent.Sign.allCases, 1...10)
    func noise(sign: FaceEvent.Sign, seed: Int) throws {
        let found = try trace(sign, rate: 30, seed: seed).signs()
        #expect(found.map(\.sign) == [sign])
    }

    @Test("each is seen without any one of the frames", arguments: FaceEvent.Sign.allCases)
    func dropped(sign: FaceEvent.Sign) throws {
        let whole = try trace(sign, rate: 30)
        let differing = whole.sightings.indices.filter { index in
            var shorter = whole
            shorter.sightings.remove(at: index)
            return shorter.signs().map(\.sign) != [sign]
        }
        #expect(differing.isEmpty)
    }

    @Test("a mirror image exchanges the winks, and the setting gives them back", arguments: FaceEvent.Sign.allCases)
    func mirrored(sign: FaceEvent.Sign) throws {
        let other: [FaceEvent.Sign: FaceEvent.Sign] = [.winkLeft: .winkRight, .winkRight: .winkLeft]
        let swapped = try trace(sign, rate: 30, isSwapped: true)
        #expect(swapped.signs().map(\.sign) == [other[sign] ?? sign])
        #expect(swapped.signs(isMirrored: true).map(\.sign) == [sign])
    }

    @Test("nothing counts while the person talks, turns or moves on", arguments: FaceEvent.Sign.allCases)
    func disturbed(sign: FaceEvent.Sign) throws {
        var talking = try trace(sign, rate: 30)
        for index in talking.sightings.indices where index % 8 < 4 { talking.sightings[index].mouth.opening += 0.1 }
        #expect(talking.signs().isEmpty)
        guard sign != .nod, sign != .shake else { return }
        var turning = try trace(sign, rate: 30)
        for index in turning.sightings.indices { turning.sightings[index].yaw += Double(index % 30) - 15 }
        #expect(turning.signs().isEmpty)
    }

    @Test("what is shorter, longer or half done is no sign")
    func unfinished() throws {
        func play(_ change: (inout Trace.Sighting, Double) -> Void) throws -> [FaceEvent.Sign] {
            var trace = try trace(nil, rate: 30)
            let start = trace.sightings[0].time + 4
            for index in trace.sightings.indices {
                change(&trace.sightings[index], trace.sightings[index].time - start)
            }
            return trace.signs().map(\.sign)
        }
        func lids(_ span: ClosedRange<Double>, _ left: Double, _ right: Double) throws -> [FaceEvent.Sign] {
            try play { seen, time in
                guard span.contains(time) else { return }
                seen.leftLids.height *= left
                seen.rightLids.height *= right
            }
        }
        #expect(try play { _, _ in }.isEmpty)
        // A blink, a closure between blink and long blink, and sleep.
        for length in [0.2, 0.5, 2.3] { #expect(try lids(0...length, 0.05, 0.05).isEmpty) }
        // A look down, and a squint of one eye that takes the other along.
        #expect(try lids(0...1, 0.36, 0.36).isEmpty)
        #expect(try lids(0...0.5, 0.3, 0.5).isEmpty)
        // A twitch of one lid.
        #expect(try lids(0...0.1, 0.05, 0.9).isEmpty)
        // A single nod and a turn of the head to one side and back.
        #expect(try play { $0.pitch -= (0...0.5).contains($1) ? 12 * sin($1 / 0.5 * .pi) : 0 }.isEmpty)
        #expect(try play { $0.yaw += (0...1).contains($1) ? 25 * sin($1 * .pi) : 0 }.isEmpty)
    }

    @Test("the tracker reports one, if it is to read signs", arguments: [false, true])
    func tracked(readsSigns: Bool) {
        var options = FaceTracker.Options()
        options.readsSigns = readsSigns
        var play = Timeline(options: options)
        let line = String(repeating: "o", count: 60) + String(repeating: "c", count: 27) + "oooooo"
        let result = play.play(line) { .sample(eyes: $0 == "c" ? (0, 0) : (0.06, 0.06)) }
        #expect(result.contains("G") == readsSigns)
    }

    /// What looks like a sign in the recorded clips: these people blink, wink and shake their heads for the camera.
    private static let deliberate: Set = [
        "blinkdetect/blinks.mp4", "closed_eyes/me.mp4", "liveportrait/assets/examples/driving/d3.mp4",
        "liveportrait/assets/examples/driving/d9.mp4",
    ]

    @Test("people who do something else make next to none")
    func natural() throws {
        var seconds = 0.0
        var others = 0
        for name in try Trace.labels().keys.sorted() {
            let trace = try Trace(name)
            let found = trace.signs()
            for sign in found { print("signs: \(name): \(sign.sign) of face \(sign.lineage) at \(sign.time) s") }
            guard !Self.deliberate.contains(name) else { continue }
            others += found.count
            for lineage in Set(trace.sightings.map(\.lineage)) {
                let times = trace.sightings.filter { $0.lineage == lineage }.map(\.time)
                seconds += (times.last ?? 0) - (times.first ?? 0)
            }
        }
        print("signs: \(others) in \(Int(seconds)) s of people who make none on purpose")
        #expect(others <= 4)
    }

    @Test("an hour of four people's talk makes none but the double blinks of one who pauses")
    func talking() throws {
        var seconds = 0.0
        var found = [FaceEvent.Sign]()
        for (name, _) in TraceTests.talks {
            let signs = try Trace(name).played(for: 900).signs()
            seconds += 900
            for sign in signs { print("signs: \(name): \(sign.sign) at \(sign.time) s") }
            found += signs.map(\.sign)
        }
        print("signs: \(found.count) in \(Int(seconds)) s of talking")
        #expect(found.allSatisfy { $0 == .doubleBlink })
        #expect(found.count <= 8)
    }
}
