import Glibc

/// The four edges of the lips, each from the mouth's corner at the left to the one at the right.
struct Lips {
    private var edges: [[Point]]
    /// How far above and below the lips the skin gives way when they close, in pixels.
    private let margin: Double

    /// The line where the lips meet, as a share of the way from the upper to the lower one: nearer to the upper one,
    /// whose teeth show.
    static let meeting = 0.4

    // Numbers of the MediaPipe face mesh: the upper lip's outer and inner edge, the lower lip's inner and outer one.
    private static let lines = [
        [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291],
        [61, 78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 291],
        [61, 78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 291],
        [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291],
    ]

    /// The points of all edges, each once.
    static let indices = Array(Set(lines.joined())).sorted()

    init(_ points: [Point], margin: Double) {
        edges = Self.lines.map { $0.map { points[$0] } }
        self.margin = margin
    }

    /// Lips between these and others; 0 is these.
    func mixed(with others: Lips, share: Double) -> Lips {
        var result = self
        for line in edges.indices {
            for index in edges[line].indices {
                result.edges[line][index].x += (others.edges[line][index].x - edges[line][index].x) * share
                result.edges[line][index].y += (others.edges[line][index].y - edges[line][index].y) * share
            }
        }
        return result
    }

    /// The movement that closes them by a share, 0…1.
    func closed(_ share: Double) -> Closing { Closing(lips: self, share: share) }

    /// Lips that are closed by a share.
    struct Closing {
        fileprivate let lips: Lips
        fileprivate let share: Double

        /// The row of the open mouth that is seen at a pixel, and how much of the shadow between the lips lies on it,
        /// 0…1.
        func open(_ x: Double, _ y: Double) -> (y: Double, shade: Double) {
            let rows = lips.edges.map { Lips.row(of: $0, at: x) }
            guard let upperOuter = rows[0], let upperInner = rows[1], let lowerInner = rows[2],
                let lowerOuter = rows[3],
                lowerInner > upperInner
            else { return (y, 0) }
            let line = upperInner + Lips.meeting * (lowerInner - upperInner)
            // The edges' places are known to about a pixel: a little more of the teeth goes.
            let inset = min(1.2, (lowerInner - upperInner) / 4)
            let down = share * (line - upperInner)
            let up = share * (lowerInner - line)
            let open = [
                upperOuter - lips.margin, upperOuter, upperInner - inset * share, lowerInner + inset * share,
                lowerOuter,
                lowerOuter + lips.margin,
            ]
            let shown = [
                upperOuter - lips.margin, upperOuter + 0.4 * down, upperInner + down, lowerInner - up,
                lowerOuter - 0.6 * up, lowerOuter + lips.margin,
            ]
            let distance = (y - line) / 1.3
            return (Self.map(y, from: shown, to: open), exp(-distance * distance))
        }

        /// The place in `to` that corresponds to one in `from`, both rising; unchanged outside.
        private static func map(_ y: Double, from: [Double], to: [Double]) -> Double {
            for index in 1..<from.count where y >= from[index - 1] && y < from[index] {
                let share = (y - from[index - 1]) / (from[index] - from[index - 1])
                return to[index - 1] + share * (to[index] - to[index - 1])
            }
            return y
        }
    }

    private static func row(of line: [Point], at x: Double) -> Double? {
        for (start, end) in zip(line, line.dropFirst()) where start.x <= x && x < end.x {
            return start.y + (end.y - start.y) * (x - start.x) / (end.x - start.x)
        }
        return nil
    }
}
