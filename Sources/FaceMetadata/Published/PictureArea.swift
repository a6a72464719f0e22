/// A polygon in the upright picture whose edges do not cross.
public struct PictureArea: Hashable, Sendable {
    /// The corners in order along the border, as fractions of the picture's width and height from the top-left corner.
    public let corners: [NormalizedPoint]
    /// The radius of a circle that certainly fits into the polygon: the polygon's area divided by its perimeter.
    package let certainDepth: Double
    private let edges: [Edge]
    /// The allowed numbers of corners.
    public static let cornerCounts = 3...64

    /// Makes an area from its corners, clockwise or counterclockwise.
    /// - Throws: `Failure` if the corners are too few or too many, outside the picture or in line, or if edges cross.
    public init(corners: [NormalizedPoint]) throws(Failure) {
        guard Self.cornerCounts.contains(corners.count) else { throw .cornerCount(corners.count) }
        if let corner = corners.first(where: { !(0...1 ~= $0.x && 0...1 ~= $0.y) }) { throw .outside(corner) }
        self.corners = corners
        edges = corners.indices.map { Edge(from: corners[$0], to: corners[($0 + 1) % corners.count]) }
        let area = abs(edges.reduce(0) { $0 + $1.from.x * $1.to.y - $1.to.x * $1.from.y }) / 2
        certainDepth = area / edges.reduce(0) { $0 + $1.length }
        guard area > 1e-6 else { throw .flat }
        for (index, edge) in edges.enumerated() {
            let ends = [index, (index + 1) % edges.count]
            let meets = edges.enumerated().contains { other, line in
                line.crosses(edge) || (!ends.contains(other) && edge.distance(to: line.from) < 1e-9)
            }
            guard !meets, edge.from != edge.to else { throw .crossing(edge.from, edge.to) }
        }
    }

    /// Makes an area from a list of numbers, as in the settings file.
    /// - Parameter numbers: Four are a rectangle: x, y, width, height. More are the corners of a polygon: x, y, x, y, …
    /// - Throws: `Failure` as `init(corners:)` does, or if the count of numbers fits neither form.
    public init(numbers: [Double]) throws(Failure) {
        var numbers = numbers
        if numbers.count == 4 {
            // The sum of rounded fractions may be a little more than 1.
            let far = (0...1).map { index in
                let sum = numbers[index] + numbers[index + 2]
                return sum > 1 && sum < 1.000_001 ? 1 : sum
            }
            numbers = [numbers[0], numbers[1], far[0], numbers[1], far[0], far[1], numbers[0], far[1]]
        }
        guard numbers.count >= 6, numbers.count.isMultiple(of: 2) else { throw .numberCount(numbers.count) }
        let indices = stride(from: 0, to: numbers.count, by: 2)
        try self.init(corners: indices.map { NormalizedPoint(x: numbers[$0], y: numbers[$0 + 1]) })
    }

    /// Whether a point lies inside the area and not on its border.
    public func contains(_ point: NormalizedPoint) -> Bool { depth(of: point) > 0 }

    /// Returns a point's distance from the area's border, in a picture scaled to 1 by 1; negative outside the area.
    package func depth(of point: NormalizedPoint) -> Double {
        var isInside = false
        var nearest = Double.infinity
        for edge in edges {
            if (edge.from.y > point.y) != (edge.to.y > point.y), edge.x(at: point.y) > point.x { isInside.toggle() }
            nearest = min(nearest, edge.distance(to: point))
        }
        return isInside ? nearest : -nearest
    }

    /// The reason why points are not the corners of an area.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// Too few or too many corners; the value is their number.
        case cornerCount(Int)
        /// A number of values that fits neither a rectangle nor a polygon.
        case numberCount(Int)
        /// A corner outside the picture.
        case outside(NormalizedPoint)
        /// An edge, given by its ends, that crosses or touches another one.
        case crossing(NormalizedPoint, NormalizedPoint)
        /// The corners lie on one line, or nearly.
        case flat

        /// The error message: the rest of a sentence that begins with the area's name, such as "has no extent".
        public var description: String {
            let counts = PictureArea.cornerCounts
            return switch self {
            case .cornerCount(let count):
                "has \(count) corners and needs \(counts.lowerBound) to \(counts.upperBound)"
            case .numberCount(let count):
                "has \(count) numbers and needs four (x, y, width, height) or those of three corners and more (x, y, x, y, …)"
            case .outside(let corner):
                "has the corner (\(corner.x), \(corner.y)) outside the picture: numbers are shares of it, 0 to 1"
            case .crossing(let one, let other):
                "crosses or touches itself at the edge from (\(one.x), \(one.y)) to (\(other.x), \(other.y))"
            case .flat: "has no extent"
            }
        }
    }
}

private struct Edge: Hashable, Sendable {
    var from: NormalizedPoint
    var to: NormalizedPoint
    private var way: SIMD2<Double> { to.vector - from.vector }
    var length: Double { (way * way).sum().squareRoot() }

    /// The x coordinate at which the edge's line has the y coordinate `y`; the edge must not be horizontal.
    func x(at y: Double) -> Double { from.x + (y - from.y) / (to.y - from.y) * (to.x - from.x) }

    func distance(to point: NormalizedPoint) -> Double {
        let along = ((point.vector - from.vector) * way).sum() / (way * way).sum()
        let nearest = NormalizedPoint(from.vector + min(1, max(0, along)) * way)
        return Edge(from: point, to: nearest).length
    }

    /// Whether the edges cross at a point that is not an end of either.
    func crosses(_ other: Edge) -> Bool {
        side(of: other.from) * side(of: other.to) < 0 && other.side(of: from) * other.side(of: to) < 0
    }

    /// Returns a number that is positive on one side of the edge's line, negative on the other side and 0 on the line.
    private func side(of point: NormalizedPoint) -> Double {
        (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
    }
}
