import FaceMetadata
import Testing

@Suite("Normalized rectangles")
struct GeometryTests {
    private let unit = NormalizedRect(x: 0, y: 0, width: 1, height: 1)

    @Test(
        "overlap as a share of the union",
        arguments: [
            (NormalizedRect(x: 0, y: 0, width: 1, height: 1), 1.0),
            (NormalizedRect(x: 0.5, y: 0, width: 1, height: 1), 1.0 / 3),
            (NormalizedRect(x: 1, y: 0, width: 1, height: 1), 0),
            (NormalizedRect(x: 5, y: 5, width: 1, height: 1), 0),
            (NormalizedRect(x: 0.2, y: 0.2, width: 0, height: 0), 0),
            (NormalizedRect(x: 0.5, y: 0.5, width: -0.2, height: 0.2), 0),
            (NormalizedRect(x: .nan, y: 0, width: 1, height: 1), 0),
            (NormalizedRect(x: 0, y: 0, width: .infinity, height: 1), 0),
        ] as [(NormalizedRect, Double)]
    )
    func overlap(other: NormalizedRect, expected: Double) {
        #expect(abs(unit.intersectionOverUnion(other) - expected) < 1e-12)
        #expect(abs(other.intersectionOverUnion(unit) - expected) < 1e-12)
    }

    @Test("time moves by seconds and back")
    func time() {
        let time = Timestamp(nanoseconds: 1_000_000_000)
        #expect(time.advanced(bySeconds: -1.5).nanoseconds == -500_000_000)
        #expect(time.advanced(bySeconds: 2.25).seconds(since: time) == 2.25)
    }

    @Test("time ends where its number does", arguments: [1e10, 1e22, .infinity])
    func timeEnds(seconds: Double) {
        let time = Timestamp(nanoseconds: 1_000_000_000)
        let last = time.advanced(bySeconds: seconds)
        let first = time.advanced(bySeconds: -seconds)
        #expect(last.nanoseconds == .max)
        #expect(first.nanoseconds == .min)
        #expect(last.seconds(since: first) > 18e9)
        #expect(time.advanced(bySeconds: .nan) == time)
    }
}
