import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import Testing

@testable import FaceInference

@Suite("What the place of a face shows")
struct PlaceMeterTests {
    private static let size = FrameSize(width: 320, height: 240)
    private static let face = NormalizedRect(x: 0.45, y: 0.3, width: 0.1, height: 0.16)
    private static let query = PlaceQuery(track: 1, bounds: face, clothes: nil, lastSeen: 5)

    /// A room of stripes, with a block of one colour for a person who sits there.
    private static func frame(
        _ time: Double,
        person: SIMD3<Double>? = nil,
        at x: Double = 0.4,
        light: Double = 1,
        room: Int = 0
    ) throws -> Frame {
        var bytes: [UInt8] = []
        for y in 0..<size.height {
            for column in 0..<size.width {
                let stripe = Double((column / 20 * 53 + y / 30 * 71 + room * 60) % 120) + 60
                let share = SIMD2(Double(column) / Double(size.width), Double(y) / Double(size.height))
                let isPerson = share.x > x && share.x < x + 0.2 && share.y > 0.25
                let color = isPerson ? person ?? SIMD3(repeating: stripe) : SIMD3(repeating: stripe)
                bytes += (0..<3).map { UInt8(min(255, color[$0] * light)) }
            }
        }
        let stamp = FrameStamp(frame: Int(time * 10), time: Timestamp(nanoseconds: Int64(time * 1e9)), mediaTime: time)
        return try Frame(copying: bytes, size: size, format: .rgb24, stamp: stamp)
    }

    /// A meter whose model is not there.
    private static var unloaded: PlaceMeter {
        var options = FaceAnalyzer.Options()
        options.modelDirectory = "/there/is/no/model"
        return PlaceMeter(options)
    }

    private static let red = SIMD3(170.0, 30, 30)

    /// A meter that has seen the empty room, and then a person.
    private static func meter() throws -> PlaceMeter {
        let meter = unloaded
        for second in 0..<4 { meter.read(try frame(Double(second)), seen: [], unseen: []) }
        meter.read(try frame(5, person: red), seen: [face], unseen: [])
        return meter
    }

    private static func reading(_ meter: PlaceMeter, _ frame: Frame, others: [NormalizedRect] = []) -> PlaceReading {
        meter.read(frame, seen: others, unseen: [face])
        return meter.reading(of: query, in: frame)
    }

    @Test(
        "beside the empty room it tells somebody who sits still, who moves, and who has gone, in another light too",
        arguments: [1, 0.75]
    )
    func room(light: Double) throws {
        let meter = try Self.meter()
        _ = Self.reading(meter, try Self.frame(5.5, person: Self.red, light: light))
        #expect(
            Self.reading(meter, try Self.frame(6, person: Self.red, light: light)) == .person(moved: false, head: true)
        )
        #expect(
            Self.reading(meter, try Self.frame(6.5, person: Self.red, at: 0.41, light: light))
                == .person(moved: true, head: true)
        )
        #expect(Self.reading(meter, try Self.frame(7, light: light)) == .empty)
        #expect(meter.drainError() == nil, "the model is not asked where the empty room is known")
    }

    @Test("a place that others hide says nothing, another scene that nobody is there")
    func hidden() throws {
        let meter = try Self.meter()
        let beside = NormalizedRect(x: 0.42, y: 0.3, width: 0.1, height: 0.16)
        #expect(Self.reading(meter, try Self.frame(5.5, person: Self.red), others: [beside]) == .covered)
        #expect(Self.reading(meter, try Self.frame(6, person: Self.red, room: 1)) == .empty)
        #expect(Self.reading(meter, try Self.frame(6.5, person: Self.red)) == .empty)
    }

    @Test("without an empty room the clothes tell; a missing model is reported once")
    func clothes() throws {
        let meter = Self.unloaded
        meter.read(try Self.frame(5, person: Self.red), seen: [Self.face], unseen: [])
        var query = Self.query
        let worn = try #require(meter.clothes(below: Self.face))
        query.clothes = worn
        for (time, person, isThere) in [(5.5, Self.red, true), (6, SIMD3(30, 30, 170), false), (6.5, Self.red, true)] {
            let frame = try Self.frame(time, person: person)
            meter.read(frame, seen: [], unseen: [Self.face])
            #expect((meter.reading(of: query, in: frame) != .empty) == isThere)
        }
        #expect(meter.drainError() == .missingFile(path: "/there/is/no/model/libLiteRt.so"))
        #expect(meter.drainError() == nil)
        let low = NormalizedRect(x: 0.4, y: 0.8, width: 0.1, height: 0.2)
        #expect(meter.clothes(below: low) == nil)
    }

    @Test(
        "an outline tells a person from a wall, and the model is found where the others are",
        arguments: [true, false]
    )
    func outline(isThere: Bool) throws {
        let portrait = try Portrait.astronaut.frame()
        let analyzer = try FaceAnalyzer()
        let bounds = try #require(try analyzer.analyze(portrait).observations.first).bounds
        let meter = PlaceMeter(FaceAnalyzer.Options())
        var query = PlaceQuery(track: 1, bounds: bounds, clothes: nil, lastSeen: 0)
        if !isThere { query.bounds = Self.face }
        let frame = isThere ? portrait : try Self.frame(0)
        meter.read(frame, seen: [], unseen: [query.bounds])
        #expect((meter.reading(of: query, in: frame) != .empty) == isThere)
        #expect(meter.drainError() == nil)
    }

    @Test("bounds that are no numbers, of a model that saw garbage, mark no place", arguments: [Double.nan, .infinity])
    func garbage(number: Double) throws {
        let meter = try Self.meter()
        let bounds = NormalizedRect(x: 0.4, y: 0.4, width: number, height: -number)
        meter.read(try Self.frame(6), seen: [bounds], unseen: [bounds])
        let query = PlaceQuery(track: 1, bounds: bounds, clothes: nil, lastSeen: 0)
        #expect(meter.reading(of: query, in: try Self.frame(6)) == .empty)
    }
}
