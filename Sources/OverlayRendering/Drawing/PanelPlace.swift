/// Finds places for text panels beside faces, so that panels cover neither faces nor each other.
struct PanelPlace {
    enum Side: CaseIterable {
        case right, left, below, above
    }

    /// The rectangles that panels must not cover: the faces, and the panels placed so far.
    private(set) var taken: [SurfaceRect]
    let area: SurfaceSize
    /// The side of the box on which the last panel was placed; nil if there was no place, or only one in a corner.
    private(set) var side: Side?

    /// Reserves a place beside a box, preferably on side `first`, or in a corner of the surface; nil if none is free.
    mutating func reserve(_ size: SurfaceSize, beside box: SurfaceRect, gap: Double, first: Side) -> SurfaceRect? {
        side = nil
        let last = area - size
        guard last.min() >= 0 else { return nil }
        let besides = ([first] + Side.allCases.filter { $0 != first }).flatMap { side in
            Self.corners(side, size, box, gap).map { (side: Side?.some(side), corner: $0) }
        }
        for choice in besides + [[0, last.y], last, .zero, [last.x, 0]].map({ (nil, $0) }) {
            let place = SurfaceRect(origin: choice.corner.clamped(lowerBound: .zero, upperBound: last), size: size)
            guard !taken.contains(where: { $0.overlap(with: place) > 0 }) else { continue }
            taken.append(place)
            side = choice.side
            return place
        }
        return nil
    }

    /// Returns the top-left corners of the two places to try on a side of a box.
    private static func corners(_ side: Side, _ size: SurfaceSize, _ box: SurfaceRect, _ gap: Double) -> [SurfacePoint]
    {
        let before = box.origin - size - gap
        let after = box.end + gap
        let middle = box.center.x - size.width / 2
        let end = box.end.y - size.height
        return switch side {
        case .right: [[after.x, box.y], [after.x, end]]
        case .left: [[before.x, box.y], [before.x, end]]
        case .below: [[middle, after.y], [box.x, after.y]]
        case .above: [[middle, before.y], [box.x, before.y]]
        }
    }
}
