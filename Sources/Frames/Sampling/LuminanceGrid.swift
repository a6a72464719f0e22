/// Divides a rectangle of a frame into a grid of cells, and computes the mean brightness of each cell.
///
/// It reads the frame's own pixels once, row by row: Y of YUV formats, and (R + 2G + B) / 4 of packed RGB. A cell's
/// mean is weighted by area, so cells may begin within a pixel. In tall cells only every n-th row is read.
///
/// Only one thread may use a grid at a time. After the first frame of a size, nothing is allocated.
package final class LuminanceGrid {
    /// An axis-aligned rectangle in pixels, measured at pixel edges: the first pixel spans 0…1.
    package struct Rectangle: Hashable, Sendable {
        package var low, high: SIMD2<Float>

        package init(_ low: SIMD2<Float>, _ high: SIMD2<Float>) { (self.low, self.high) = (low, high) }

        package var size: SIMD2<Float> { high - low }

        /// Converts this rectangle of the upright picture to the rectangle of the stored picture.
        package func stored(in frame: Frame) -> Rectangle {
            let map = frame.orientation.storedFromUpright(stored: frame.size)
            // The map has pixel centres at integers, the rectangle has them half a pixel farther.
            let first = map(low - 0.5)
            let last = map(high - 0.5)
            return Rectangle(pointwiseMin(first, last) + 0.5, pointwiseMax(first, last) + 0.5)
        }
    }

    package enum Order: Sendable {
        /// Row by row from the top, and within a row from the left.
        case rows
        /// Column by column from the left, and within a column from the top.
        case columns
    }

    private let columns: Int
    private let rows: Int
    private let order: Order
    private let maximumRows: Float
    /// The weight of a row of pixels that is completely in a cell. The sum of eight such rows fits 16 bits.
    private static let fullWeight: Float = 16

    private typealias Sums = UnsafeMutableBufferPointer<UInt16>

    /// The weighted sum of each column of pixels within the current row of cells; 0 when a row of cells begins.
    private var sums: [UInt16] = []
    /// The running totals of `sums`: at each index the total of the columns to its left.
    private var totals: [UInt32] = []
    /// The vertical edges of the cells. `column` is the column of pixels cut by the edge or nearest to it, counted from
    /// the first one read. `share` is the distance from that column's left side to the edge, in pixels.
    private var edges: [(column: Int, share: Float)]

    /// Makes a grid that reads at most `maximumRows` rows of pixels per cell, 1 to 8.
    package init(columns: Int, rows: Int, maximumRows: Int = 8, order: Order = .rows) {
        precondition(columns > 0 && rows > 0, "a grid has cells")
        precondition((1...8).contains(maximumRows), "the sums of a cell's rows must fit 16 bits")
        (self.columns, self.rows, self.order) = (columns, rows, order)
        self.maximumRows = Float(maximumRows)
        edges = Array(repeating: (column: 0, share: 0), count: columns + 1)
    }

    /// Writes the cells' means, 0…255 in the frame's own range. `rectangle` is in pixels of the stored picture; where
    /// it exceeds the picture, the nearest pixels count.
    /// - Returns: False, with `output` untouched, if the frame's pixels cannot be read or the rectangle has no area.
    package func sample(_ frame: Frame, _ rectangle: Rectangle, into output: UnsafeMutablePointer<Float>) -> Bool {
        let size = frame.size
        let cell = rectangle.size / SIMD2(Float(columns), Float(rows))
        // Written so that NaN fails too.
        guard frame.format != .jpeg, size.width > 0, size.height > 0, all(cell .> 0),
            all(rectangle.low .> -100_000 .& rectangle.high .< 100_000)
        else { return false }
        let firstX = min(max(Int(rectangle.low.x.rounded(.down)), 0), size.width - 1)
        let endX = max(min(Int(rectangle.high.x.rounded(.up)), size.width), firstX + 1)
        let width = endX - firstX
        if sums.count < width {
            sums = Array(repeating: 0, count: width)
            totals = Array(repeating: 0, count: width + 1)
        }
        for index in 0...columns {
            let x = rectangle.low.x + Float(index) * cell.x - Float(firstX)
            let column = min(max(Int(x.rounded(.down)), 0), width - 1)
            edges[index] = (column, x - Float(column))
        }
        let step = max(1, Int((cell.y / maximumRows).rounded(.up)))
        for row in 0..<rows {
            let top = rectangle.low.y + Float(row) * cell.y
            let weight = addRows(of: frame, from: top, to: top + cell.y, step, firstX..<endX)
            writeRow(row, width, scale: 1 / (Float(weight) * cell.x), to: output)
        }
        return true
    }

    /// Adds the weighted rows of pixels from y = `top` to `bottom` to `sums`, and returns the total of their weights.
    private func addRows(of frame: Frame, from top: Float, to bottom: Float, _ step: Int, _ columns: Range<Int>) -> Int
    {
        var weight = 0
        var row = Int(top.rounded(.down))
        while Float(row) < bottom || weight == 0 {
            let overlap = min(bottom, Float(row + 1)) - max(top, Float(row))
            let isOnly = weight == 0 && Float(row + step) >= bottom
            // If rows are skipped, each row that is read represents them with its full weight.
            let share = step > 1 ? Self.fullWeight : (overlap * Self.fullWeight).rounded()
            let rowWeight = UInt16(max(share, isOnly ? 1 : 0))
            if rowWeight > 0 {
                let inside = min(max(row, 0), frame.size.height - 1)
                sums.withUnsafeMutableBufferPointer { sums in
                    Self.add(row: inside, of: frame, columns, weight: rowWeight, to: sums)
                }
                weight += Int(rowWeight)
            }
            row += step
        }
        return weight
    }

    /// Adds a row of pixels, multiplied by its weight. The loops are simple enough for the compiler to vectorise.
    private static func add(row: Int, of frame: Frame, _ columns: Range<Int>, weight: UInt16, to sums: Sums) {
        let start = frame.planes.first.base + row * frame.planes.first.bytesPerRow
        switch frame.format {
        case .gray, .planarYUV, .nv12:
            let pixels = (start + columns.lowerBound).assumingMemoryBound(to: UInt8.self)
            for index in 0..<columns.count { sums[index] &+= UInt16(pixels[index]) &* weight }
        case .yuyv:
            // Each pixel is a 16-bit little-endian number, whose low byte is the brightness.
            let pixels = start + 2 * columns.lowerBound
            for index in 0..<columns.count {
                let pair = pixels.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
                sums[index] &+= (pair & 0xFF) &* weight
            }
        case .packedRGB(let bytes, let red, let green, let blue):
            var pixel = (start + bytes * columns.lowerBound).assumingMemoryBound(to: UInt8.self)
            for index in 0..<columns.count {
                let luma = UInt16(pixel[red]) &+ 2 &* UInt16(pixel[green]) &+ UInt16(pixel[blue])
                sums[index] &+= (luma &>> 2) &* weight
                pixel += bytes
            }
        case .jpeg: break
        }
    }

    /// Writes the means of a row of cells from `sums`, and clears `sums`.
    private func writeRow(_ row: Int, _ width: Int, scale: Float, to output: UnsafeMutablePointer<Float>) {
        sums.withUnsafeMutableBufferPointer { sums in
            totals.withUnsafeMutableBufferPointer { totals in
                for column in 0..<width { totals[column + 1] = totals[column] &+ UInt32(sums[column]) }
            }
            sums.update(repeating: 0)
        }
        func sum(leftOf edge: (column: Int, share: Float)) -> (whole: UInt32, part: Float) {
            (totals[edge.column], edge.share * Float(totals[edge.column + 1] &- totals[edge.column]))
        }
        let (start, step) = order == .rows ? (row * columns, 1) : (row, rows)
        var left = sum(leftOf: edges[0])
        for column in 0..<columns {
            let right = sum(leftOf: edges[column + 1])
            output[start + column * step] = (Float(right.whole &- left.whole) + right.part - left.part) * scale
            left = right
        }
    }
}
