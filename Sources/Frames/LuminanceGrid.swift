/// Means of the brightness in the cells of a grid that covers an upright rectangle of a frame.
///
/// It reads the frame's own pixels once, row by row, in whatever format they are: the Y samples of YUV formats, and
/// (R + 2G + B) / 4 of packed RGB. A cell's mean is area-weighted, so cells need not begin at whole pixels. Of high cells
/// only every n-th row is read.
///
/// Used by one thread at a time; after the first frame of a size nothing is allocated.
package final class LuminanceGrid {
    /// An axis-aligned rectangle in pixels, measured at pixel edges: pixel 0 spans 0…1.
    package struct Rectangle: Hashable, Sendable {
        package var left: Float
        package var top: Float
        package var right: Float
        package var bottom: Float

        /// Makes a rectangle from its four edges.
        package init(left: Float, top: Float, right: Float, bottom: Float) {
            (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
        }
    }

    /// Cells from left to right of the upright picture.
    package let columns: Int
    /// Cells from top to bottom of the upright picture.
    package let rows: Int

    /// How many rows of pixels of one cell are read at most.
    private let maximumRows: Float
    /// The weight of a row of pixels that lies in a cell as a whole; eight of them times 255 fit 16 bits.
    private static let fullWeight: Float = 16

    /// For each column of pixels the weighted sum over a row of cells.
    private var sums: UnsafeMutableBufferPointer<UInt16> = .allocate(capacity: 0)
    /// For each column of pixels the sum of all sums left of it; one more at the end.
    private var totals: UnsafeMutableBufferPointer<UInt32> = .allocate(capacity: 0)
    /// Between which columns of pixels the cells' left and right edges lie.
    private let edges: UnsafeMutableBufferPointer<Edge>

    private struct Edge {
        /// The column of pixels that the edge cuts, from the first one read.
        var column: Int
        /// Which share of that column lies left of the edge; below 0 or above 1 for an edge outside the picture.
        var share: Float
    }

    /// Makes a grid of that many cells, of which at most that many rows of pixels are read, up to eight.
    package init(columns: Int, rows: Int, maximumRows: Int = 8) {
        precondition(columns > 0 && rows > 0, "a grid has cells")
        precondition((1...8).contains(maximumRows), "the sums of a cell's rows must fit 16 bits")
        (self.columns, self.rows) = (columns, rows)
        self.maximumRows = Float(maximumRows)
        edges = .allocate(capacity: max(columns, rows) + 1)
        edges.initialize(repeating: Edge(column: 0, share: 0))
    }

    deinit {
        sums.deallocate()
        totals.deallocate()
        edges.deallocate()
    }

    /// Writes the cells' means, 0…255 in the frame's own range of brightness.
    ///
    /// Parts of the rectangle outside the picture continue its nearest pixels.
    ///
    /// - Parameters:
    ///   - frame: The frame; its orientation is taken into account.
    ///   - rectangle: What the grid covers, in pixels of the upright picture.
    ///   - output: Memory for `columns * rows` numbers: rows from the top, in them cells from the left.
    /// - Returns: False, with `output` untouched, if the frame has no pixels that can be read or the rectangle no area.
    package func sample(
        _ frame: Frame,
        _ rectangle: Rectangle,
        into output: UnsafeMutablePointer<Float>
    ) -> Bool {
        let map = frame.orientation.storedFromUpright(stored: frame.size)
        // The map is for positions of pixel centres, half a pixel right of and below the edges.
        let first = map(rectangle.left - 0.5, rectangle.top - 0.5)
        let last = map(rectangle.right - 0.5, rectangle.bottom - 0.5)
        let stored = Rectangle(
            left: min(first.x, last.x) + 0.5,
            top: min(first.y, last.y) + 0.5,
            right: max(first.x, last.x) + 0.5,
            bottom: max(first.y, last.y) + 0.5
        )
        // How far apart neighbouring cells of the stored picture are in the output.
        let (across, down) = frame.orientation.swapsAxes ? (columns, 1) : (1, columns)
        let isMirrored = (frame.orientation.swapsAxes ? map.b : map.a) < 0
        let isFlipped = (frame.orientation.swapsAxes ? map.c : map.d) < 0
        let layout = Layout(
            columns: frame.orientation.swapsAxes ? rows : columns,
            rows: frame.orientation.swapsAxes ? columns : rows,
            across: isMirrored ? -across : across,
            down: isFlipped ? -down : down
        )
        let skipped = (isMirrored ? (layout.columns - 1) * across : 0) + (isFlipped ? (layout.rows - 1) * down : 0)
        return sampleStored(frame, stored, layout, into: output + skipped)
    }

    /// Writes the cells' means as they lie in the stored picture, whatever the frame's orientation: columns from the left,
    /// in them cells from the top.
    ///
    /// For comparisons by rows of the sensor, which a camera exposes one after the other. `rectangle` is in pixels of the
    /// stored picture.
    package func sampleSensor(
        _ frame: Frame,
        _ rectangle: Rectangle,
        into output: UnsafeMutablePointer<Float>
    ) -> Bool {
        sampleStored(frame, rectangle, Layout(columns: columns, rows: rows, across: rows, down: 1), into: output)
    }

    /// How the cells of the stored picture lie in the output.
    private struct Layout {
        let columns: Int
        let rows: Int
        let across: Int
        let down: Int
    }

    private func sampleStored(
        _ frame: Frame,
        _ rectangle: Rectangle,
        _ layout: Layout,
        into output: UnsafeMutablePointer<Float>
    ) -> Bool {
        let size = frame.size
        let cellWidth = (rectangle.right - rectangle.left) / Float(layout.columns)
        let cellHeight = (rectangle.bottom - rectangle.top) / Float(layout.rows)
        let reach = max(
            max(rectangle.left.magnitude, rectangle.right.magnitude),
            max(rectangle.top.magnitude, rectangle.bottom.magnitude)
        )
        // Also false for what is not a number.
        guard let pixels = LumaPixels(frame), size.width > 0, size.height > 0,
            cellWidth > 0, cellHeight > 0, reach < 100_000
        else { return false }
        let firstX = min(max(Int(rectangle.left.rounded(.down)), 0), size.width - 1)
        let endX = max(min(Int(rectangle.right.rounded(.up)), size.width), firstX + 1)
        let width = endX - firstX
        prepare(width)
        for index in 0...layout.columns {
            let x = rectangle.left + Float(index) * cellWidth - Float(firstX)
            let column = min(max(Int(x.rounded(.down)), 0), width - 1)
            edges[index] = Edge(column: column, share: x - Float(column))
        }
        let step = max(1, Int((cellHeight / maximumRows).rounded(.up)))
        for row in 0..<layout.rows {
            let top = rectangle.top + Float(row) * cellHeight
            let weight = addRows(from: top, to: top + cellHeight, step, pixels, firstX, width, size.height)
            addUp(width)
            writeRow(layout, scale: 1 / (Float(weight) * cellWidth), to: output + row * layout.down)
        }
        return true
    }

    private func prepare(_ width: Int) {
        guard sums.count < width else { return }
        sums.deallocate()
        totals.deallocate()
        sums = .allocate(capacity: width)
        totals = .allocate(capacity: width + 1)
        sums.initialize(repeating: 0)
        totals.initialize(repeating: 0)
    }

    /// Sums the rows of pixels between two heights into `sums`, and returns the sum of their weights.
    private func addRows(
        from top: Float,
        to bottom: Float,
        _ step: Int,
        _ pixels: LumaPixels,
        _ firstX: Int,
        _ width: Int,
        _ height: Int
    ) -> Int {
        guard let sums = sums.baseAddress else { return 1 }
        var weight = 0
        var row = Int(top.rounded(.down))
        while Float(row) < bottom || weight == 0 {
            let overlap = min(bottom, Float(row + 1)) - max(top, Float(row))
            let isOnly = weight == 0 && Float(row + step) >= bottom
            // With a step, a row stands for those that are skipped.
            let share = step > 1 ? Self.fullWeight : (overlap * Self.fullWeight).rounded()
            let rowWeight = UInt16(max(share, isOnly ? 1 : 0))
            if rowWeight > 0 {
                let inside = min(max(row, 0), height - 1)
                pixels.add(row: inside, from: firstX, count: width, weight: rowWeight, isFirst: weight == 0, to: sums)
                weight += Int(rowWeight)
            }
            row += step
        }
        return weight
    }

    /// Turns the sums of columns of pixels into running totals.
    private func addUp(_ width: Int) {
        guard let sums = sums.baseAddress, let totals = totals.baseAddress else { return }
        var total: UInt32 = 0
        totals[0] = 0
        for column in 0..<width {
            total = total &+ UInt32(sums[column])
            totals[column + 1] = total
        }
    }

    private func writeRow(_ layout: Layout, scale: Float, to output: UnsafeMutablePointer<Float>) {
        guard let sums = sums.baseAddress, let totals = totals.baseAddress, let edges = edges.baseAddress else {
            return
        }
        var (left, leftPart) = (totals[edges[0].column], edges[0].share * Float(sums[edges[0].column]))
        for column in 0..<layout.columns {
            let edge = edges[column + 1]
            let (right, rightPart) = (totals[edge.column], edge.share * Float(sums[edge.column]))
            output[column * layout.across] = (Float(right &- left) + rightPart - leftPart) * scale
            (left, leftPart) = (right, rightPart)
        }
    }
}

/// The brightness of a frame's pixels.
private struct LumaPixels {
    private let base: UnsafePointer<UInt8>
    private let bytesPerRow: Int
    private let bytesPerPixel: Int
    /// Offsets of red, green, blue in a pixel; nil for formats with brightness of their own.
    private let colors: (red: Int, green: Int, blue: Int)?

    /// Nil for a JPEG.
    init?(_ frame: Frame) {
        base = frame.planes.0.base.assumingMemoryBound(to: UInt8.self)
        bytesPerRow = frame.planes.0.bytesPerRow
        switch frame.format {
        case .gray, .planarYUV, .nv12: (bytesPerPixel, colors) = (1, nil)
        case .yuyv: (bytesPerPixel, colors) = (2, nil)
        case .packedRGB(let bytes, let red, let green, let blue): (bytesPerPixel, colors) = (bytes, (red, green, blue))
        case .jpeg: return nil
        }
    }

    /// Adds a row, times its weight, to the sums of its columns; the first row replaces them.
    ///
    /// The loops are simple enough for the compiler to use the processor's vectors.
    @inline(__always)
    func add(
        row: Int,
        from first: Int,
        count: Int,
        weight: UInt16,
        isFirst: Bool,
        to sums: UnsafeMutablePointer<UInt16>
    ) {
        let pixels = base + (row * bytesPerRow + first * bytesPerPixel)
        if let colors {
            addColors(pixels, colors, count, weight, isFirst, sums)
        } else if bytesPerPixel == 1 {
            if isFirst {
                for index in 0..<count { sums[index] = UInt16(pixels[index]) &* weight }
            } else {
                for index in 0..<count { sums[index] &+= UInt16(pixels[index]) &* weight }
            }
        } else {
            addEverySecond(pixels, count, weight, isFirst, sums)
        }
    }

    /// Eight pixels of YUYV are eight 16-bit numbers, whose lower halves (little-endian) are the brightness.
    private func addEverySecond(
        _ pixels: UnsafePointer<UInt8>,
        _ count: Int,
        _ weight: UInt16,
        _ isFirst: Bool,
        _ sums: UnsafeMutablePointer<UInt16>
    ) {
        let (source, target) = (UnsafeRawPointer(pixels), UnsafeMutableRawPointer(sums))
        let kept: SIMD8<UInt16> = isFirst ? .zero : SIMD8(repeating: 0xFFFF)
        // The last pixel's second byte may lie behind the row.
        let vectors = max(0, count - 1) / 8
        for offset in stride(from: 0, to: 16 * vectors, by: 16) {
            let pairs = source.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt16>.self)
            let sum = target.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt16>.self) & kept
            target.storeBytes(of: sum &+ (pairs & 0xFF) &* weight, toByteOffset: offset, as: SIMD8<UInt16>.self)
        }
        for index in 8 * vectors..<count {
            sums[index] = (isFirst ? 0 : sums[index]) &+ UInt16(pixels[2 * index]) &* weight
        }
    }

    private func addColors(
        _ pixels: UnsafePointer<UInt8>,
        _ colors: (red: Int, green: Int, blue: Int),
        _ count: Int,
        _ weight: UInt16,
        _ isFirst: Bool,
        _ sums: UnsafeMutablePointer<UInt16>
    ) {
        var pixel = pixels
        for index in 0..<count {
            let green = UInt16(pixel[colors.green])
            let luma = (UInt16(pixel[colors.red]) &+ 2 &* green &+ UInt16(pixel[colors.blue])) &>> 2
            sums[index] = (isFirst ? 0 : sums[index]) &+ luma &* weight
            pixel += bytesPerPixel
        }
    }
}
