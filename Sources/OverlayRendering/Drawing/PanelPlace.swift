/// Where a panel with words goes beside a face, so that it covers neither this face nor another one.
struct PanelPlace {
    enum Side: CaseIterable {
        case right, left, below, above

        /// Whether a place is on this side of a box.
        func holds(_ place: SurfaceRect, beside box: SurfaceRect) -> Bool {
            switch self {
            case .right: place.x >= box.x + box.width
            case .left: place.x + place.width <= box.x
            case .below: place.y >= box.y + box.height
            case .above: place.y + place.height <= box.y
            }
        }
    }

    /// What must stay visible: the faces, and the panels that were placed before.
    private var taken: [SurfaceRect]
    private let area: SurfaceSize

    init(faces: [SurfaceRect], in area: SurfaceSize) { (taken, self.area) = (faces, area) }

    /// Takes a place by the first side of a box, the others or the surface's corners; nil if it would cover a face everywhere.
    mutating func take(_ size: SurfaceSize, beside box: SurfaceRect, gap: Double, first side: Side) -> SurfaceRect? {
        let sides = [side] + Side.allCases.filter { $0 != side }
        let (right, bottom) = (area.width - size.width, area.height - size.height)
        guard right >= 0, bottom >= 0 else { return nil }
        let corners: [SurfacePoint] = [[0, bottom], [right, bottom], [0, 0], [right, 0]]
        for corner in sides.flatMap({ Self.corners($0, size, box, gap) }) + corners {
            let inside = corner.clamped(lowerBound: .zero, upperBound: [right, bottom])
            let place = SurfaceRect(x: inside.x, y: inside.y, width: size.width, height: size.height)
            guard !taken.contains(where: { $0.overlap(with: place) > 0 }) else { continue }
            taken.append(place)
            return place
        }
        return nil
    }

    /// Upper left corners on one side of a box: in its middle or at its beginning, and at its ends.
    private static func corners(_ side: Side, _ size: SurfaceSize, _ box: SurfaceRect, _ gap: Double) -> [SurfacePoint]
    {
        let (middle, end) = (box.center.x - size.width / 2, box.y + box.height - size.height)
        return switch side {
        case .right: [[box.x + box.width + gap, box.y], [box.x + box.width + gap, end]]
        case .left: [[box.x - size.width - gap, box.y], [box.x - size.width - gap, end]]
        case .below: [[middle, box.y + box.height + gap], [box.x, box.y + box.height + gap]]
        case .above: [[middle, box.y - size.height - gap], [box.x, box.y - size.height - gap]]
        }
    }
}
