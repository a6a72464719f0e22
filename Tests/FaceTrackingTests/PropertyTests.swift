import FaceMetadata
import FacetTestSupport
import Testing

@testable import FaceTracking

/// What must change no event of a clear clip.
@Suite(
    "Events whatever the rate, the side and the noise",
    .enabled(if: DevelopmentTraces.areHere, "../shared/accuracy is absent")
)
struct PropertyTests {
    /// Clips with one large face whose events are beyond doubt.
    static let clear = ["pyfeat/single_face.mp4", "talk/WDA_AlexandriaOcasioCortez_000.mp4"]

    /// What happened, in order.
    private func names(_ trace: Trace) -> [String] { trace.events().map(\.name) }

    @Test("at a lower and at a higher frame rate", arguments: clear, [0.8, 1.25])
    func time(name: String, scale: Double) throws {
        var trace = try Trace(name)
        let expected = names(trace)
        for index in trace.sightings.indices { trace.sightings[index].time *= scale }
        #expect(names(trace) == expected)
    }

    @Test("mirrored", arguments: clear)
    func mirrored(name: String) throws {
        var trace = try Trace(name)
        let expected = names(trace)
        for index in trace.sightings.indices {
            let seen = trace.sightings[index]
            trace.sightings[index].leftLids = seen.rightLids
            trace.sightings[index].rightLids = seen.leftLids
            trace.sightings[index].yaw = -seen.yaw
            trace.sightings[index].appearance = seen.appearance.map { EachEye($0.right, $0.left) }
        }
        #expect(names(trace) == expected)
    }

    @Test("with the noise of landmarks", arguments: clear)
    func noisy(name: String) throws {
        var trace = try Trace(name)
        let expected = names(trace)
        let noise = Noise()
        for index in trace.sightings.indices {
            trace.sightings[index].leftLids.height *= noise.next(around: 1)
            trace.sightings[index].rightLids.height *= noise.next(around: 1)
        }
        #expect(names(trace) == expected)
    }
}
