/// The brightness of 48 × 36 cells of a frame, which is compared with that of earlier frames to find changes.
///
/// The cells are stored by columns of the stored picture, from the left, each from top to bottom. Changes of light are
/// compensated by one gain for each row of cells, because a camera exposes its rows one after the other.
final class ChangeMap {
    static let columns = 48
    static let rows = 36
    static let count = columns * rows
    /// The number of vectors in a column of cells. Each vector holds four cells, one below the other.
    private static let height = rows / Cells.Vector.scalarCount
    /// The number of groups of four adjacent cells in a row. Each group gives one ratio of brightness, because sorting
    /// a quarter of the numbers takes a tenth of the time. Moving things cover several adjacent cells anyway.
    private static let groups = columns / 4
    /// A constant added to the brightness before ratios are taken, so that dark cells do not give extreme ratios.
    private static let offset: Float = 4

    /// The part of the upright picture to read.
    let region: NormalizedRect
    /// The cells' brightness in the last frame that was read, 0…255.
    let cells = Cells(count: count)
    /// The weights of the cells' changes: 1, or 0 for cells that followed faces cover.
    let weights = Cells(count: count, repeating: 1)
    /// The mean brightness of the last frame that was read, 0…1; nil before the first.
    private(set) var luminance: Double?
    // Half the rows would leave a little more noise; reading pixels takes most of the time.
    private let grid = LuminanceGrid(columns: columns, rows: rows, maximumRows: 4, order: .columns)
    private let lit = Cells(count: count)
    private let ratios = Cells(count: groups * rows)
    private var latest: (stamp: FrameStamp, plane: Frame.Plane)?

    init(region: NormalizedRect) { self.region = region }

    /// Reads a frame's cells unless they were just read. Returns false if the frame cannot be read.
    func read(_ frame: Frame) -> Bool {
        if let latest, latest == (frame.stamp, frame.planes.first) { return true }
        guard grid.sample(frame, stored(in: frame), into: cells.base) else { return false }
        latest = (frame.stamp, frame.planes.first)
        let mean = Double(cells.numbers.reduce(0, +)) / Double(Self.count)
        let isRGB = if case .packedRGB = frame.format { true } else { false }
        luminance = min(max(isRGB || frame.encoding.isFullRange ? mean / 255 : (mean - 16) / 219, 0), 1)
        return true
    }

    /// Returns the factor, 1, 2, 4 or 8, by which a frame can be scaled down so that each cell still has a pixel.
    static func sufficientScale(for size: FrameSize) -> Int {
        [8, 4, 2].first { size.width / $0 >= columns && size.height / $0 >= rows } ?? 1
    }

    /// Sets all weights to 1, so that the changes of all cells count.
    func uncover() { for index in weights.indices { weights[index] = .one } }

    /// Makes the changes of all cells count, except in some parts of the upright picture, given in pixels.
    func cover(_ parts: [LuminanceGrid.Rectangle], in frame: Frame) {
        uncover()
        let whole = stored(in: frame)
        for part in parts {
            let cells = part.stored(in: frame).cells(columns: Self.columns, rows: Self.rows, over: whole)
            for column in cells.columns {
                for row in cells.rows { weights.numbers[column * Self.rows + row] = 0 }
            }
        }
    }

    private func stored(in frame: Frame) -> LuminanceGrid.Rectangle {
        let size = frame.uprightSize.vector
        let low = SIMD2(Float(region.x), Float(region.y)) * size
        let high = SIMD2(Float(region.x + region.width), Float(region.y + region.height)) * size
        return LuminanceGrid.Rectangle(low, high).stored(in: frame)
    }

    /// Adapts the brightness of older cells to the light of newer ones. Each row gets a gain, the mean of the middle
    /// half of its groups' ratios, which moving things hardly affect.
    /// - Returns: The older cells in the newer light, valid until the next call.
    func adapt(_ older: Cells, to newer: Cells) -> Cells {
        let height = Self.height
        let groups = Self.groups
        for group in 0..<groups {
            for index in 0..<height {
                var above = Cells.Vector.zero
                var below = Cells.Vector.zero
                for cell in stride(from: 4 * group * height + index, to: 4 * (group + 1) * height, by: height) {
                    above += (newer[cell] + Self.offset) * weights[cell]
                    below += (older[cell] + Self.offset) * weights[cell]
                }
                // A covered group takes the ratio of its neighbour in the same row.
                let beside = group > 0 ? ratios[(group - 1) * height + index] : .zero
                ratios[group * height + index] = (above / below).replacing(with: beside, where: below .== 0)
            }
        }
        for index in (0..<(groups - 1) * height).reversed() {
            ratios[index].replace(with: ratios[index + height], where: ratios[index] .== 0)
        }
        sortRatios()
        let middle = groups / 4..<groups * 3 / 4
        for index in 0..<height {
            var gain = Cells.Vector.zero
            for group in middle { gain += ratios[group * height + index] }
            gain /= Float(middle.count)
            for cell in stride(from: index, to: Self.columns * height, by: height) {
                lit[cell] = (older[cell] + Self.offset) * gain - Self.offset
            }
        }
        return lit
    }

    /// Sorts the ratios within each row by odd-even transposition, for four rows at once.
    private func sortRatios() {
        for round in 0..<Self.groups {
            for group in stride(from: round % 2, to: Self.groups - 1, by: 2) {
                for index in group * Self.height..<(group + 1) * Self.height {
                    let one = ratios[index]
                    let other = ratios[index + Self.height]
                    let isSorted = one .< other
                    ratios[index] = other.replacing(with: one, where: isSorted)
                    ratios[index + Self.height] = one.replacing(with: other, where: isSorted)
                }
            }
        }
    }
}

extension LuminanceGrid.Rectangle {
    /// Makes the rectangle around a position, with pixel centres at integers, from half its width and height.
    init(around middle: SIMD2<Float>, _ half: SIMD2<Float>) {
        self.init(middle + 0.5 - half, middle + 0.5 + half)
    }

    /// Returns the cells that this rectangle touches in a grid over the rectangle `whole`. The ranges may be empty.
    func cells(columns: Int, rows: Int, over whole: Self) -> (columns: Range<Int>, rows: Range<Int>) {
        let count = SIMD2(Float(columns), Float(rows))
        let scale = count / pointwiseMax(whole.size, .one)
        let first = ((low - whole.low) * scale).rounded(.down).clamped(lowerBound: .zero, upperBound: count)
        let end = ((high - whole.low) * scale).rounded(.up).clamped(lowerBound: first, upperBound: count)
        return (Int(first.x)..<Int(end.x), Int(first.y)..<Int(end.y))
    }
}
