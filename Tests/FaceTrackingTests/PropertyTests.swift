import FaceMetadata
import FacetTestSupport
import Testing

@testable import FaceTracking

/// What must change no event of a clear clip.
@Suite("Events whatever the rate, the side and the noise")
struct PropertyTests {
    /// Clips with one large face whose events are beyond doubt.
    static let clear = ["pyfeat/single_face.mp4", "talk/WDA_AlexandriaOcasioCortez_000.mp4"]

    /// Clips with one large face that yawns or closes its eyes for longer than a blink, beyond doubt.
    static let lasting = [
        "sample_files/face.mp4", "drowsiness_mounish/face.mp4", "closed_eyes/me.mp4", "face_landmark/face.avi",
        "liveportrait/assets/examples/driving/d18.mp4",
    ]

    /// What happened, in order, each of these by itself, because one that begins or ends within a frame of another may
    /// come before or after it; `lasting` clips are judged by the last only.
    private func names(_ trace: Trace) -> [[String]] {
        let names = trace.events().map(\.name)
        let lasting = names.filter { $0.hasPrefix("eyes") || $0.hasPrefix("mouth") }
        guard !Self.lasting.contains(trace.name) else { return [lasting] }
        return [
            names.filter { !$0.hasPrefix("look") && !lasting.contains($0) }, names.filter { $0.hasPrefix("look") },
            lasting,
        ]
    }

    @Test("played at 15 to 60 frames per second", arguments: clear + lasting.prefix(2), [15.0, 20, 25, 30, 40, 50, 60])
    func rate(name: String, rate: Double) throws {
        var trace = try Trace(name)
        let expected = names(trace)
        let span = try #require(trace.sightings.last).time - trace.sightings[0].time
        let scale = Double(trace.sightings.count - 1) / span / rate
        for index in trace.sightings.indices { trace.sightings[index].time *= scale }
        #expect(names(trace) == expected)
    }

    @Test("without any one of the frames", arguments: clear + lasting.prefix(2))
    func dropped(name: String) throws {
        let trace = try Trace(name)
        let expected = names(trace)
        var differing: [Int] = []
        for index in trace.sightings.indices {
            var shorter = trace
            shorter.sightings.remove(at: index)
            if names(shorter) != expected { differing.append(index) }
        }
        #expect(differing.isEmpty)
    }

    @Test("mirrored", arguments: clear + lasting)
    func mirrored(name: String) throws {
        var trace = try Trace(name)
        let expected = names(trace)
        for index in trace.sightings.indices {
            let seen = trace.sightings[index]
            trace.sightings[index].leftLids = seen.rightLids
            trace.sightings[index].rightLids = seen.leftLids
            trace.sightings[index].yaw = -seen.yaw
            trace.sightings[index].gaze.yaw = -seen.gaze.yaw
            trace.sightings[index].appearance = seen.appearance.map { EachEye($0.right, $0.left) }
        }
        #expect(names(trace) == expected)
    }

    @Test("with the landmarks' own noise added once more", arguments: clear + lasting, 1...10)
    func noisy(name: String, seed: Int) throws {
        var trace = try Trace(name)
        let expected = names(trace)
        trace.addNoise(seed: UInt64(seed))
        #expect(names(trace) == expected)
    }
}
