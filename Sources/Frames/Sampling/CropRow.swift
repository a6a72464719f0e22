/// Samples a crop row by row with bilinear interpolation. Pixel centres are at integers.
///
/// The four pixels around each position are gathered first. Then the row is interpolated with vector instructions.
struct CropRow {
    typealias Numbers = UnsafeMutablePointer<Float>
    private typealias Words = UnsafeMutablePointer<UInt16>

    /// The interpolated samples of a row, times 2¹⁶, one array per channel. For gray, all three are the same array.
    let first: Numbers
    let second: Numbers
    let third: Numbers
    // For each channel, pairs of horizontal neighbours, upper and lower, with the left sample in the low byte.
    private let pairs: Words
    /// The weights of the right and of the lower neighbours, with 8 fractional bits.
    private let weightsX: Words
    private let weightsY: Words
    /// The number of columns that are gathered at a time. It is constant, so that all arrays are at fixed offsets.
    private static let chunk = 256
    let grid: CropGrid
    let samples: FrameSamples

    /// Calls `body` with a `CropRow` for sampling a crop that is `width` pixels wide. `crop` maps the crop's pixels to
    /// the upright picture. The `CropRow`'s memory is only valid during the call.
    /// - Returns: False, without a call, if the frame's pixels cannot be read or the transform is not finite.
    static func use(_ frame: Frame, _ crop: AffineTransform, width: Int, _ body: (CropRow) -> Void) -> Bool {
        let stored = crop.then(frame.orientation.storedFromUpright(stored: frame.size))
        guard let grid = CropGrid(stored, size: width, in: frame.size), let samples = FrameSamples(frame) else {
            return false
        }
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * grid.size + 4 * chunk) { memory in
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
        pairs = UnsafeMutableRawPointer(memory + 3 * grid.size).bindMemory(to: UInt16.self, capacity: 8 * Self.chunk)
        weightsX = pairs + 6 * Self.chunk
        weightsY = pairs + 7 * Self.chunk
    }

    /// Samples some columns of a row of the crop. Positions outside the picture get the picture's nearest pixel.
    func sample(_ row: Int, _ columns: Range<Int>, withChroma: Bool = true) {
        for start in stride(from: columns.lowerBound, to: columns.upperBound, by: Self.chunk) {
            let part = start..<min(start + Self.chunk, columns.upperBound)
            gather(samples.first, row, part)
            blend(0, part, to: first)
            if samples.isRGB {
                blend(1, part, to: second)
                blend(2, part, to: third)
            } else if withChroma, let chroma = samples.chroma {
                gather(chroma, row, part)
                blend(0, part, to: second)
                blend(1, part, to: third)
            }
        }
    }

    private func gather(_ group: FrameSamples.Group, _ row: Int, _ columns: Range<Int>) {
        // At this distance from the picture's edges, the neighbours among the subsampled chroma are inside too.
        let margin = (1 << max(group.shiftX, group.shiftY)) - 1
        let interior = grid.interior(ofRow: row, margin: margin).clamped(to: columns)
        let start = columns.lowerBound
        gatherAtEdge(group, row, start..<interior.lowerBound, from: start)
        if !interior.isEmpty {
            // The usual layouts have loops of their own, with constants.
            switch (group.channels, group.step, group.shiftX, group.shiftY) {
            case (1, 1, _, _): gather(group, row, interior, from: start, 1, 1, 0, 0)
            case (1, _, _, _): gather(group, row, interior, from: start, 1, group.step, 0, 0)
            case (2, 1, 1, 1): gather(group, row, interior, from: start, 2, 1, 1, 1)
            case (2, _, 1, 1): gather(group, row, interior, from: start, 2, group.step, 1, 1)
            case (2, _, _, _): gather(group, row, interior, from: start, 2, group.step, group.shiftX, group.shiftY)
            default: gather(group, row, interior, from: start, 3, group.step, 0, 0)
            }
        }
        gatherAtEdge(group, row, interior.upperBound..<columns.upperBound, from: start)
    }

    /// Gathers the samples for columns that need no pixels outside the picture.
    @inline(__always)
    private func gather(
        _ group: FrameSamples.Group,
        _ row: Int,
        _ columns: Range<Int>,
        from start: Int,
        _ channels: Int,
        _ step: Int,
        _ shiftX: Int,
        _ shiftY: Int
    ) {
        // Constants in local variables need not be read again after each store.
        var target = pairs + (columns.lowerBound - start)
        let end = target + columns.count
        let (columnX, columnY, bytesPerRow) = (grid.columnX, grid.columnY, group.bytesPerRow)
        let (base, second, third) = (group.bases[0], group.bases[1], group.bases[2])
        var (x, y) = grid.position(ofColumn: columns.lowerBound, row: row)
        while target < end {
            let (left, top) = (Self.shifted(x, shiftX), Self.shifted(y, shiftY))
            target[6 &* Self.chunk] = UInt16(truncatingIfNeeded: (left &>> 24) & 255)
            target[7 &* Self.chunk] = UInt16(truncatingIfNeeded: (top &>> 24) & 255)
            let offset = (top &>> CropGrid.fraction) &* bytesPerRow &+ (left &>> CropGrid.fraction) &* step
            let below = offset &+ bytesPerRow
            target[0] = Self.pair(base + offset, step)
            target[Self.chunk] = Self.pair(base + below, step)
            if channels > 1 {
                target[2 &* Self.chunk] = Self.pair(second + offset, step)
                target[3 &* Self.chunk] = Self.pair(second + below, step)
            }
            if channels > 2 {
                target[4 &* Self.chunk] = Self.pair(third + offset, step)
                target[5 &* Self.chunk] = Self.pair(third + below, step)
            }
            target += 1
            (x, y) = (x &+ columnX, y &+ columnY)
        }
    }

    /// Gathers the samples for columns near the picture's edge. The nearest pixels replace those outside the picture.
    private func gatherAtEdge(_ group: FrameSamples.Group, _ row: Int, _ columns: Range<Int>, from start: Int) {
        let (lastX, lastY) = (grid.lastX >> group.shiftX, grid.lastY >> group.shiftY)
        for column in columns {
            let place = grid.position(ofColumn: column, row: row)
            let inside = grid.clamped(place.x, place.y)
            let left = min(max(Self.shifted(inside.x, group.shiftX), 0), lastX << CropGrid.fraction)
            let top = min(max(Self.shifted(inside.y, group.shiftY), 0), lastY << CropGrid.fraction)
            // The offsets in bytes to the right and the lower neighbour; 0 if there is none.
            let right = left >> CropGrid.fraction == lastX ? 0 : group.step
            let down = top >> CropGrid.fraction == lastY ? 0 : group.bytesPerRow
            weightsX[column - start] = UInt16((left >> 24) & 255)
            weightsY[column - start] = UInt16((top >> 24) & 255)
            let offset = (top >> CropGrid.fraction) * group.bytesPerRow + (left >> CropGrid.fraction) * group.step
            for channel in 0..<group.channels {
                let target = pairs + (2 * channel * Self.chunk + column - start)
                target[0] = Self.pair(group.bases[channel] + offset, right)
                target[Self.chunk] = Self.pair(group.bases[channel] + (offset + down), right)
            }
        }
    }

    /// Converts a position from pixels to subsampled chroma, whose samples are centred on the pixels that they cover.
    ///
    /// Most video centres chroma on the left one of two pixels. The models do not notice this difference.
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
        let (above, weightsX, weightsY) = (pairs + 2 * channel * Self.chunk, weightsX, weightsY)
        let output = output + columns.lowerBound
        for index in 0..<columns.count {
            let top = Float(Self.blend(above[index], weightsX[index]))
            let bottom = Float(Self.blend(above[Self.chunk &+ index], weightsX[index]))
            output[index] = top * 256 + Float(weightsY[index]) * (bottom - top)
        }
    }

    /// Interpolates two samples; weight and result have 8 fractional bits. Only intermediate values may overflow.
    @inline(__always)
    private static func blend(_ pair: UInt16, _ weight: UInt16) -> UInt16 {
        let left = pair & 0xFF
        return (left &<< 8) &+ weight &* ((pair &>> 8) &- left)
    }
}
