import FaceMetadata
import FacetTestSupport
import Foundation
import Testing

@Suite("Areas of the picture")
struct PictureAreaTests {
    private static func points(_ numbers: Double...) -> [NormalizedPoint] {
        stride(from: 0, to: numbers.count, by: 2).map { NormalizedPoint(x: numbers[$0], y: numbers[$0 + 1]) }
    }

    @Test("four numbers are a rectangle, more are corners")
    func numbers() throws {
        let rectangle = try PictureArea(numbers: [0.7, 0.1, 0.3, 0.2])
        #expect(rectangle.corners.map(\.x) == [0.7, 1, 1, 0.7])
        #expect(try PictureArea(numbers: [0, 0, 1, 0, 0.5, 1]).corners == Self.points(0, 0, 1, 0, 0.5, 1))
        // 0.1 + 0.2 is a little more than 0.3, and so is the sum of rounded shares.
        #expect(try PictureArea(numbers: [0.9, 0.3, 0.1 + 1e-9, 0.7]).corners[1].x == 1)
    }

    @Test("a point is inside by its distance from the border, whichever way the corners go")
    func depth() throws {
        // A U: the notch between its arms is outside.
        let corners = Self.points(0.1, 0.1, 0.3, 0.1, 0.3, 0.6, 0.7, 0.6, 0.7, 0.1, 0.9, 0.1, 0.9, 0.9, 0.1, 0.9)
        for corners in [corners, corners.reversed()] {
            let area = try PictureArea(corners: corners)
            #expect(area.contains(NormalizedPoint(x: 0.2, y: 0.3)))
            #expect(!area.contains(NormalizedPoint(x: 0.5, y: 0.3)))
            #expect(abs(area.depth(of: NormalizedPoint(x: 0.2, y: 0.3)) - 0.1) < 1e-12)
            #expect(abs(area.depth(of: NormalizedPoint(x: 0.5, y: 0.5)) + 0.1) < 1e-12)
            #expect(abs(area.depth(of: NormalizedPoint(x: 0, y: 0)) + 0.02.squareRoot()) < 1e-12)
        }
    }

    @Test(
        "what bounds no area is refused with the reason",
        arguments: [
            ([0, 0, 1], "has 3 numbers"), ([0, 0, 1, 0, 1], "has 5 numbers"), ([], "has 0 numbers"),
            ([0.5, 0, 0.6, 1], "the corner (1.1, 0.0) outside"), ([0, 0, .nan, 1], "outside"),
            ([0, 0, .infinity, 1], "outside"), ([-0.1, 0, 0.5, 0.5], "outside"),
            ([0, 0, 0, 1], "no extent"), ([0, 0, 0.5, 0.5, 1, 1], "no extent"),
            // A bow tie, a spike, a corner given twice, a corner on another edge.
            ([0, 0, 1, 1, 1, 0, 0, 0.9], "crosses or touches itself"),
            ([0, 0, 1, 0, 1, 1, 1, 0, 0.5, 1], "crosses or touches itself"),
            ([0, 0, 1, 0, 1, 0, 0.5, 1], "crosses or touches itself"),
            ([0, 0, 1, 0, 1, 1, 0.5, 0, 0, 1], "crosses or touches itself"),
            (Array(repeating: 0.5, count: 130), "has 65 corners and needs 3 to 64"),
        ] as [([Double], String)]
    )
    func refused(numbers: [Double], reason: String) {
        let error = #expect(throws: PictureArea.Failure.self) { try PictureArea(numbers: numbers) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test("any corners are an area or are refused, and an area is where a count of crossings says")
    func fuzz() throws {
        var random = SplitMix64(seed: 7)
        var made = 0
        for round in 0..<4000 {
            let count = Int.random(in: 1...70, using: &random)
            // A star shape never crosses itself; one with a corner moved may, and free corners nearly always do.
            let corners = (0..<count).map { index -> NormalizedPoint in
                let angle = 2 * Double.pi * Double(index) / Double(count)
                let radius = Double.random(in: 0.1...0.5, using: &random)
                let isFree = round % 3 == 0 || (round % 3 == 1 && index == 0)
                return isFree
                    ? NormalizedPoint(
                        x: .random(in: -0.05...1.05, using: &random),
                        y: .random(in: 0...1, using: &random)
                    )
                    : NormalizedPoint(x: 0.5 + radius * cos(angle), y: 0.5 + radius * sin(angle))
            }
            guard let area = try? PictureArea(corners: corners) else {
                #expect(round % 3 != 2 || !PictureArea.cornerCounts.contains(count), "a star of \(count) was refused")
                continue
            }
            made += 1
            #expect(area.certainDepth > 0)
            if round % 3 == 2, count > 4 {
                // The middle is inside, and its depth is at most the nearest corner's distance.
                let middle = NormalizedPoint(x: 0.5, y: 0.5)
                let nearest = corners.map { hypot($0.x - 0.5, $0.y - 0.5) }.min() ?? 0
                #expect(area.contains(middle) && area.depth(of: middle) <= nearest + 1e-9)
            }
            #expect(!area.contains(NormalizedPoint(x: -0.2, y: 0.5)))
        }
        #expect(made > 1200)
    }
}
