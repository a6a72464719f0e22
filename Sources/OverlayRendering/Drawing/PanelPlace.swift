/// Where a panel with words goes beside a face, so that it covers neither this face nor another one.
struct PanelPlace {
    enum Side: CaseIterable {
        case right, left, below, above
    }

    /// What must stay visible: the faces, and the panels that were placed before.
    private(set) var taken: [SurfaceRect]
    let area: SurfaceSize
    /// On which side of its box the last place is; nil if there is none, or it is in a corner of the surface.
    private(set) var side: Side?

    /// Reserves a place by the first side of a box, the others or the surface's corners; nil if it would cover a face everywhere.
    mutating func reserve(_ size: SurfaceSize, beside box: SurfaceRect, gap: Double, first: Side) -> SurfaceRect? {
        side = nil
        let last = area - size
        guard last.min() >= 0 else { return nil }
        var choices: [(side: Side?, corner: SurfacePoint)] = []
        for side in [first] + Side.allCases.filter({ $0 != first }) {
            choices += Self.corners(side, size, box, gap).map { (side, $0) }
        }
        choices += [[0, last.y], last, .zero, [last.x, 0]].map { (nil, $0) }
        for choice in choices {
            let place = SurfaceRect(origin: choice.corner.clamped(lowerBound: .zero, upperBound: last), size: size)
            guard !taken.contains(where: { $0.overlap(with: place) > 0 }) else { continue }
            taken.append(place)
            side = choice.side
            return place
        }
        return nil
    }

    /// Upper left corners on one side of a box: in its middle or at its beginning, and at its ends.
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
