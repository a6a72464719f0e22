/// One row of a crop from YUV or gray, made in steps of which all but the first are vector instructions.
///
/// First the four neighbours of each position are gathered; then whole rows are blended and converted. The numbers are
/// those of `YUVConversion.write` to the last bit: sums of up to 24 bits are exact as Float.
struct YUVCropRow {
    private typealias Words = UnsafeMutablePointer<UInt16>
    private typealias Numbers = UnsafeMutablePointer<Float>

    /// The samples of one channel around a row's positions: of each pair the left one is in the lower byte.
    private struct Neighbours {
        let above: Words
        let below: Words
    }

    private let luma: (pairs: Neighbours, row: Numbers)
    private let u: (pairs: Neighbours, row: Numbers)
    private let v: (pairs: Neighbours, row: Numbers)
    /// How much the right and the lower neighbours count, with 8 bits behind the point.
    private let weightsX: Words
    private let weightsY: Words

    /// How many numbers the memory for rows of that many pixels holds.
    static func memoryCount(capacity: Int) -> Int { 7 * capacity }

    /// Works in memory of `memoryCount` numbers, which it does not own.
    init(capacity: Int, memory: UnsafeMutablePointer<Float>) {
        let words = UnsafeMutableRawPointer(memory + 3 * capacity).bindMemory(to: UInt16.self, capacity: 8 * capacity)
        func channel(_ index: Int) -> (pairs: Neighbours, row: Numbers) {
            let above = words + 2 * index * capacity
            return (Neighbours(above: above, below: above + capacity), memory + index * capacity)
        }
        (luma, u, v) = (channel(0), channel(1), channel(2))
        (weightsX, weightsY) = (words + 6 * capacity, words + 7 * capacity)
    }

    /// Writes red, green and blue of pixels in a row.
    ///
    /// - Parameters:
    ///   - pixels: The picture; the neighbours of all positions lie inside it, those in the chroma planes too.
    ///   - start: The first position, as of `CropGrid`.
    ///   - step: From a position to the next.
    ///   - count: How many pixels.
    ///   - conversion: Makes colours of the samples.
    ///   - target: Memory for three numbers a pixel.
    func sample(
        _ pixels: YUVPixels,
        from start: (x: Int, y: Int),
        step: (x: Int, y: Int),
        count: Int,
        _ conversion: YUVConversion,
        to target: UnsafeMutablePointer<Float>
    ) {
        gatherLuma(pixels, start, step, count)
        blend(luma.pairs, count, minus: 0, to: luma.row)
        guard !pixels.isGray else { return conversion.write(luma.row, count, to: target) }
        gatherChroma(pixels, start, step, count)
        let neutral: Float = 128 * 65536
        blend(u.pairs, count, minus: neutral, to: u.row)
        blend(v.pairs, count, minus: neutral, to: v.row)
        conversion.write(luma.row, u.row, v.row, count, to: target)
    }

    // MARK: Gathering

    private typealias Position = (x: Int, y: Int)

    private func gatherLuma(_ pixels: YUVPixels, _ start: Position, _ step: Position, _ count: Int) {
        let (plane, row) = (UnsafeRawPointer(pixels.luma), pixels.lumaRow)
        var (x, y) = start
        if pixels.lumaStep == 1 {
            for index in 0..<count {
                let place = plane + ((y &>> 32) &* row &+ (x &>> 32))
                luma.pairs.above[index] = Self.pair(place)
                luma.pairs.below[index] = Self.pair(place + row)
                weigh(index, x, y)
                (x, y) = (x &+ step.x, y &+ step.y)
            }
        } else {
            // YUYV: a byte of chroma lies between two of brightness.
            for index in 0..<count {
                let place = plane + ((y &>> 32) &* row &+ 2 &* (x &>> 32))
                luma.pairs.above[index] = Self.pair(in: Self.four(place), 0, 16)
                luma.pairs.below[index] = Self.pair(in: Self.four(place + row), 0, 16)
                weigh(index, x, y)
                (x, y) = (x &+ step.x, y &+ step.y)
            }
        }
    }

    private func gatherChroma(_ pixels: YUVPixels, _ start: Position, _ step: Position, _ count: Int) {
        let (plane, row) = (UnsafeRawPointer(pixels.u), pixels.chromaRow)
        var (x, y) = start
        switch pixels.chromaStep {
        case 1:
            let other = UnsafeRawPointer(pixels.v) - plane
            for index in 0..<count {
                let (chromaX, chromaY) = pixels.chromaPosition(x, y)
                let place = plane + ((chromaY &>> 32) &* row &+ (chromaX &>> 32))
                u.pairs.above[index] = Self.pair(place)
                u.pairs.below[index] = Self.pair(place + row)
                v.pairs.above[index] = Self.pair(place + other)
                v.pairs.below[index] = Self.pair(place + (other &+ row))
                weigh(index, chromaX, chromaY)
                (x, y) = (x &+ step.x, y &+ step.y)
            }
        case 2:
            // NV12: U V U V.
            for index in 0..<count {
                let (chromaX, chromaY) = pixels.chromaPosition(x, y)
                let place = plane + ((chromaY &>> 32) &* row &+ 2 &* (chromaX &>> 32))
                let (above, below) = (Self.four(place), Self.four(place + row))
                u.pairs.above[index] = Self.pair(in: above, 0, 16)
                u.pairs.below[index] = Self.pair(in: below, 0, 16)
                v.pairs.above[index] = Self.pair(in: above, 8, 24)
                v.pairs.below[index] = Self.pair(in: below, 8, 24)
                weigh(index, chromaX, chromaY)
                (x, y) = (x &+ step.x, y &+ step.y)
            }
        default:
            // YUYV: Y U Y V Y U Y V, of which the first byte lies before `u`.
            for index in 0..<count {
                let (chromaX, chromaY) = pixels.chromaPosition(x, y)
                let place = plane + ((chromaY &>> 32) &* row &+ 4 &* (chromaX &>> 32) &- 1)
                let above = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
                let below = UInt64(littleEndian: (place + row).loadUnaligned(as: UInt64.self))
                u.pairs.above[index] = Self.pair(in: above, 8, 40)
                u.pairs.below[index] = Self.pair(in: below, 8, 40)
                v.pairs.above[index] = Self.pair(in: above, 24, 56)
                v.pairs.below[index] = Self.pair(in: below, 24, 56)
                weigh(index, chromaX, chromaY)
                (x, y) = (x &+ step.x, y &+ step.y)
            }
        }
    }

    @inline(__always)
    private static func pair(_ place: UnsafeRawPointer) -> UInt16 {
        UInt16(littleEndian: place.loadUnaligned(as: UInt16.self))
    }

    @inline(__always)
    private static func four(_ place: UnsafeRawPointer) -> UInt32 {
        UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
    }

    /// Two bytes of some, by how many bits they are from the first one's.
    @inline(__always)
    private static func pair<Bytes: FixedWidthInteger>(in bytes: Bytes, _ left: Bytes, _ right: Bytes) -> UInt16 {
        UInt16(truncatingIfNeeded: (bytes &>> left) & 0xFF | ((bytes &>> right) & 0xFF) &<< 8)
    }

    @inline(__always)
    private func weigh(_ index: Int, _ x: Int, _ y: Int) {
        weightsX[index] = UInt16(truncatingIfNeeded: (x &>> 24) & 255)
        weightsY[index] = UInt16(truncatingIfNeeded: (y &>> 24) & 255)
    }

    // MARK: Blending

    /// Blends a channel's neighbours; 16 bits behind the point, as in `CropSampler.interpolate`.
    private func blend(_ pairs: Neighbours, _ count: Int, minus bias: Float, to output: Numbers) {
        let (allAbove, allBelow, weightsX, weightsY) = (pairs.above, pairs.below, weightsX, weightsY)
        for index in 0..<count {
            let above = Float(Self.blend(allAbove[index], weightsX[index]))
            let below = Float(Self.blend(allBelow[index], weightsX[index]))
            output[index] = above * 256 + Float(weightsY[index]) * (below - above) - bias
        }
    }

    /// Blends a pair; 8 bits behind the point. Intermediate results may wrap around, the last one does not.
    @inline(__always)
    private static func blend(_ pair: UInt16, _ weight: UInt16) -> UInt16 {
        let left = pair & 0xFF
        return (left &<< 8) &+ weight &* ((pair &>> 8) &- left)
    }
}

extension YUVConversion {
    /// Writes pixels as `write(_:_:_:to:)` does from rows of brightness and of chroma without its neutral value. The rows
    /// are overwritten.
    fileprivate func write(
        _ luma: UnsafeMutablePointer<Float>,
        _ u: UnsafeMutablePointer<Float>,
        _ v: UnsafeMutablePointer<Float>,
        _ count: Int,
        to target: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<count {
            let gray = luma[index] * self.luma + bias
            let (chromaU, chromaV) = (u[index], v[index])
            luma[index] = clamped(gray + chromaV * redV)
            u[index] = clamped(gray + chromaU * greenU + chromaV * greenV)
            v[index] = clamped(gray + chromaU * blueU)
        }
        for index in 0..<count {
            target[3 &* index] = luma[index]
            target[3 &* index &+ 1] = u[index]
            target[3 &* index &+ 2] = v[index]
        }
    }

    /// Writes gray pixels from a row of brightness.
    fileprivate func write(
        _ luma: UnsafeMutablePointer<Float>,
        _ count: Int,
        to target: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<count {
            let gray = clamped(luma[index] * self.luma + bias)
            target[3 &* index] = gray
            target[3 &* index &+ 1] = gray
            target[3 &* index &+ 2] = gray
        }
    }
}
