/// Samples a crop row by row, interpolated bilinearly, with pixel centres at integers.
///
/// First the four neighbours of each position are gathered, then the whole row is blended in vector instructions.
struct CropRow {
    typealias Numbers = UnsafeMutablePointer<Float>
    private typealias Words = UnsafeMutablePointer<UInt16>

    /// The blended samples of a row, by channel: whole numbers with 16 bits behind the point; all the same for gray.
    let first: Numbers
    let second: Numbers
    let third: Numbers
    // The samples above and below of each channel of a group; the left one of a pair is in the lower byte.
    private let pairs: Words
    /// The weights of the right and the lower neighbours, with 8 bits behind the point.
    private let weightsX: Words
    private let weightsY: Words
    let grid: CropGrid
    let samples: FrameSamples

    /// Calls a function with a row for crops of a frame, `width` pixels wide, which the transform maps to the upright
    /// picture; the row's memory lasts for the call.
    /// - Returns: False, without a call, if the frame's pixels cannot be read or the transform is not finite.
    static func use(_ frame: Frame, _ crop: AffineTransform, width: Int, _ body: (CropRow) -> Void) -> Bool {
        let stored = crop.then(frame.orientation.storedFromUpright(stored: frame.size))
        guard let grid = CropGrid(stored, size: width, in: frame.size), let samples = FrameSamples(frame) else {
            return false
        }
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 7 * grid.size) { memory in
            if let base = memory.baseAddress { body(CropRow(grid, samples, memory: base)) }
        }
        return true
    }

    private init(_ grid: CropGrid, _ samples: FrameSamples, memory: Numbers) {
        self.grid = grid
        self.samples = samples
        first = memory
        second = samples.isGray ? memory : memory + grid.size
        third = samples.isGray ? memory : memory + 2 * grid.size
        pairs = UnsafeMutableRawPointer(memory + 3 * grid.size).bindMemory(to: UInt16.self, capacity: 8 * grid.size)
        weightsX = pairs + 6 * grid.size
        weightsY = pairs + 7 * grid.size
    }

    /// Samples some columns of a row of the crop; positions outside the picture take its nearest pixel.
    func sample(_ row: Int, _ columns: Range<Int>, withChroma: Bool = true) {
        gather(samples.first, row, columns)
        blend(0, columns, to: first)
        if samples.isRGB {
            blend(1, columns, to: second)
            blend(2, columns, to: third)
        } else if withChroma, let chroma = samples.chroma {
            gather(chroma, row, columns)
            blend(0, columns, to: second)
            blend(1, columns, to: third)
        }
    }

    private func gather(_ group: FrameSamples.Group, _ row: Int, _ columns: Range<Int>) {
        // In the interior all neighbours of the position among the samples are inside too.
        let margin = (1 << max(group.shiftX, group.shiftY)) - 1
        let interior = grid.interior(ofRow: row, margin: margin).clamped(to: columns)
        gather(group, row, columns.lowerBound..<interior.lowerBound, clamps: true)
        gather(group, row, interior, clamps: false)
        gather(group, row, interior.upperBound..<columns.upperBound, clamps: true)
    }

    /// Collects the four neighbours of the positions of some columns. It is inlined, so that most columns need no
    /// comparison with the picture's edges.
    @inline(__always)
    private func gather(_ group: FrameSamples.Group, _ row: Int, _ columns: Range<Int>, clamps: Bool) {
        // Constants need not be read again after every store.
        let (grid, pairs, weightsX, weightsY, capacity) = (grid, pairs, weightsX, weightsY, grid.size)
        let (channels, bytesPerRow, step) = (group.channels, group.bytesPerRow, group.step)
        let (base, second, third) = (group.bases[0], group.bases[1], group.bases[2])
        let (lastX, lastY) = (grid.lastX >> group.shiftX, grid.lastY >> group.shiftY)
        var (x, y) = grid.position(ofColumn: columns.lowerBound, row: row)
        for column in columns {
            var (left, top) = (Self.shifted(x, group.shiftX), Self.shifted(y, group.shiftY))
            // Bytes to the right and the lower neighbour; 0 if there is none.
            var right = step
            var down = bytesPerRow
            if clamps {
                let inside = grid.clamped(x, y)
                left = min(max(Self.shifted(inside.x, group.shiftX), 0), lastX << CropGrid.fraction)
                top = min(max(Self.shifted(inside.y, group.shiftY), 0), lastY << CropGrid.fraction)
                if left >> CropGrid.fraction == lastX { right = 0 }
                if top >> CropGrid.fraction == lastY { down = 0 }
            }
            weightsX[column] = UInt16(truncatingIfNeeded: (left &>> 24) & 255)
            weightsY[column] = UInt16(truncatingIfNeeded: (top &>> 24) & 255)
            let offset = (top &>> CropGrid.fraction) &* bytesPerRow &+ (left &>> CropGrid.fraction) &* step
            let target = pairs + column
            target[0] = Self.pair(base + offset, right)
            target[capacity] = Self.pair(base + (offset &+ down), right)
            if channels > 1 {
                target[2 &* capacity] = Self.pair(second + offset, right)
                target[3 &* capacity] = Self.pair(second + (offset &+ down), right)
            }
            if channels > 2 {
                target[4 &* capacity] = Self.pair(third + offset, right)
                target[5 &* capacity] = Self.pair(third + (offset &+ down), right)
            }
            (x, y) = (x &+ grid.columnX, y &+ grid.columnY)
        }
    }

    /// The position of a pixel among samples that are fewer, and centred on the pixels that they cover.
    ///
    /// Video has chroma at the left pixel instead, but the models do not notice a quarter of a chroma sample.
    @inline(__always)
    private static func shifted(_ position: Int, _ shift: Int) -> Int {
        let half = 1 &<< (CropGrid.fraction - 1)
        return ((position &+ half) &>> shift) &- half
    }

    @inline(__always)
    private static func pair(_ left: UnsafePointer<UInt8>, _ right: Int) -> UInt16 {
        if right == 1 { return UInt16(littleEndian: UnsafeRawPointer(left).loadUnaligned(as: UInt16.self)) }
        return UInt16(left[0]) | UInt16(left[right]) &<< 8
    }

    private func blend(_ channel: Int, _ columns: Range<Int>, to output: Numbers) {
        let (allAbove, weightsX, weightsY) = (pairs + 2 * channel * grid.size, weightsX, weightsY)
        let allBelow = allAbove + grid.size
        for index in columns {
            let above = Float(Self.blend(allAbove[index], weightsX[index]))
            let below = Float(Self.blend(allBelow[index], weightsX[index]))
            output[index] = above * 256 + Float(weightsY[index]) * (below - above)
        }
    }

    /// Blends two neighbours, with 8 bits behind the point. Intermediate results may wrap around, the last does not.
    @inline(__always)
    private static func blend(_ pair: UInt16, _ weight: UInt16) -> UInt16 {
        let left = pair & 0xFF
        return (left &<< 8) &+ weight &* ((pair &>> 8) &- left)
    }
}
