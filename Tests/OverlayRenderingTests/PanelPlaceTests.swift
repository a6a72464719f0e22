import Testing

@testable import OverlayRendering

@Suite("Places of panels")
struct PanelPlaceTests {
    @Test("cover no face and no other panel, in any arrangement", arguments: UInt64(0)..<200)
    func arrangements(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        let area = SurfaceSize(width: 640, height: 480)
        var taken = (0..<Int.random(in: 1...12, using: &random)).map { _ in
            let side = Double.random(in: 20...300, using: &random)
            return SurfaceRect(
                x: .random(in: -50...600, using: &random),
                y: .random(in: -50...440, using: &random),
                width: side,
                height: side * 1.2
            )
        }
        var places = PanelPlace(taken: taken, area: area)
        for face in taken {
            let size = SurfaceSize(
                width: .random(in: 20...200, using: &random),
                height: .random(in: 10...120, using: &random)
            )
            guard let place = places.reserve(size, beside: face, gap: 4, first: .right) else { continue }
            #expect(!taken.contains { $0.overlap(with: place) > 0 })
            #expect(place.x >= 0 && place.y >= 0 && place.x + place.width <= 640 && place.y + place.height <= 480)
            taken.append(place)
        }
    }

    @Test("are beside the face where there is room, and nowhere where there is none")
    func sides() throws {
        var places = PanelPlace(
            taken: [SurfaceRect(x: 100, y: 100, width: 100, height: 100)],
            area: SurfaceSize(width: 640, height: 480)
        )
        let size = SurfaceSize(width: 80, height: 20)
        let box = SurfaceRect(x: 100, y: 100, width: 100, height: 100)
        let right = places.reserve(size, beside: box, gap: 5, first: .right)
        #expect(right == SurfaceRect(x: 205, y: 100, width: 80, height: 20))
        let below = places.reserve(size, beside: box, gap: 5, first: .below)
        #expect(below == SurfaceRect(x: 110, y: 205, width: 80, height: 20))
        let close = SurfaceRect(x: 0, y: 0, width: 640, height: 480)
        var none = PanelPlace(taken: [close], area: SurfaceSize(width: 640, height: 480))
        #expect(none.reserve(size, beside: close, gap: 5, first: .right) == nil)
    }
}
