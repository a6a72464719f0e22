/// A palette of at most 255 colours that represents pictures best.
///
/// Pixels are counted in a grid of 32 steps for red, green and blue. The box of cells whose pixels differ the most from
/// their mean is cut in two at the mean, again and again. The means of all boxes are the palette.
struct ColorPalette {
    static let size = 255
    private static let steps = 32

    /// The colour of a cell of the grid, and the number of pixels in the cell.
    private typealias Cell = (color: SIMD3<Double>, count: Double)

    private struct Box {
        var cells: [Cell]
        var mean: SIMD3<Double>
        /// The sum of the squared distances to the mean, for each of red, green and blue.
        var spread: SIMD3<Double>

        init(_ cells: [Cell]) {
            self.cells = cells
            let count = cells.reduce(0) { $0 + $1.count }
            let mean = cells.reduce(SIMD3<Double>.zero) { $0 + $1.color * $1.count } / count
            self.mean = mean
            spread = cells.reduce(.zero) { $0 + ($1.color - mean) * ($1.color - mean) * $1.count }
        }

        /// The two boxes that a cut at the mean makes; nil if all pixels have the same colour.
        var halves: (Box, Box)? {
            let axis = (0..<3).max { spread[$0] < spread[$1] } ?? 0
            guard spread[axis] > 0 else { return nil }
            return (
                Box(cells.filter { $0.color[axis] <= mean[axis] }), Box(cells.filter { $0.color[axis] > mean[axis] })
            )
        }
    }

    /// The palette's colours, with components of 0…255.
    let colors: [SIMD3<Int>]
    /// The palette's index for each cell of the grid; −1 if it was not computed yet.
    private var nearest = [Int16](repeating: -1, count: steps * steps * steps)

    /// Chooses the palette by the number of pixels in each cell of the grid.
    init(counts: [Int]) {
        let cells = counts.indices.filter { counts[$0] > 0 }
            .map { (color: SIMD3<Double>(Self.color(at: $0)), count: Double(counts[$0])) }
        var boxes = cells.isEmpty ? [] : [Box(cells)]
        while boxes.count < Self.size,
            let widest = boxes.indices.max(by: { boxes[$0].spread.sum() < boxes[$1].spread.sum() }),
            let (low, high) = boxes[widest].halves
        {
            boxes[widest] = low
            boxes.append(high)
        }
        colors = boxes.map { SIMD3(Int($0.mean.x.rounded()), Int($0.mean.y.rounded()), Int($0.mean.z.rounded())) }
    }

    /// The index of the grid's cell for a colour with components of 0…255.
    @inline(__always)
    static func cell(_ red: Int, _ green: Int, _ blue: Int) -> Int { (red >> 3) << 10 | (green >> 3) << 5 | blue >> 3 }

    /// The colour of a cell of the grid. A component's first step is 0 and its last one 255.
    private static func color(at cell: Int) -> SIMD3<Int> {
        SIMD3(cell >> 10, cell >> 5 & 31, cell & 31) &* 255 / 31
    }

    /// The index of the palette's colour that is nearest to a cell of the grid.
    @inline(__always)
    mutating func index(at cell: Int) -> UInt8 {
        if nearest[cell] < 0 { nearest[cell] = search(cell) }
        return UInt8(truncatingIfNeeded: nearest[cell])
    }

    private func search(_ cell: Int) -> Int16 {
        let color = Self.color(at: cell)
        let best = colors.indices.min { left, right in
            let one = colors[left] &- color
            let other = colors[right] &- color
            return (one &* one).wrappedSum() < (other &* other).wrappedSum()
        }
        return Int16(best ?? 0)
    }
}
