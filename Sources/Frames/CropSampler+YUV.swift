/// A picture of brightness and, unless it is gray, of two chroma planes or their interleaved likes.
struct YUVPixels {
    let luma: UnsafePointer<UInt8>
    let lumaRow: Int
    /// Bytes from a sample to the next.
    let lumaStep: Int
    let u: UnsafePointer<UInt8>
    let v: UnsafePointer<UInt8>
    let chromaRow: Int
    let chromaStep: Int
    let shiftX: Int
    let shiftY: Int
    let isGray: Bool

    /// Finds the samples in a frame; nil if its format is not one of YUV or a plane is missing.
    init?(_ frame: Frame) {
        let first = frame.planes.0
        let base = first.base.assumingMemoryBound(to: UInt8.self)
        (luma, lumaRow) = (base, first.bytesPerRow)
        switch frame.format {
        case .gray:
            (isGray, lumaStep) = (true, 1)
            (u, v, chromaRow, chromaStep, shiftX, shiftY) = (base, base, 0, 0, 0, 0)
        case .planarYUV(let chromaShiftX, let chromaShiftY):
            guard let second = frame.planes.1, let third = frame.planes.2,
                second.bytesPerRow == third.bytesPerRow, 0...4 ~= chromaShiftX, 0...4 ~= chromaShiftY
            else { return nil }
            (isGray, lumaStep) = (false, 1)
            u = second.base.assumingMemoryBound(to: UInt8.self)
            v = third.base.assumingMemoryBound(to: UInt8.self)
            (chromaRow, chromaStep, shiftX, shiftY) = (second.bytesPerRow, 1, chromaShiftX, chromaShiftY)
        case .nv12:
            guard let second = frame.planes.1 else { return nil }
            (isGray, lumaStep) = (false, 1)
            u = second.base.assumingMemoryBound(to: UInt8.self)
            v = u + 1
            (chromaRow, chromaStep, shiftX, shiftY) = (second.bytesPerRow, 2, 1, 1)
        case .yuyv:
            (isGray, lumaStep) = (false, 2)
            (u, v) = (base + 1, base + 3)
            (chromaRow, chromaStep, shiftX, shiftY) = (first.bytesPerRow, 4, 1, 0)
        case .packedRGB, .jpeg:
            return nil
        }
    }

    /// Where a position of the brightness lies in the chroma planes, whose samples stand in the middle of the pixels
    /// that they cover.
    ///
    /// Video has them at the left pixel instead: a quarter of a chroma sample that the models do not notice.
    @inline(__always)
    func chromaPosition(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
        let half = 1 &<< 31
        return (((x &+ half) &>> shiftX) &- half, ((y &+ half) &>> shiftY) &- half)
    }
}

/// Turns YUV samples into RGB in a model's range of numbers.
struct YUVConversion {
    /// Factors of samples with 16 bits behind the point.
    let luma: Float
    let redV: Float
    let greenU: Float
    let greenV: Float
    let blueU: Float
    /// What black brightness and neutral chroma add up to.
    let bias: Float
    /// The numbers for black and white: YUV reaches colours that RGB has not.
    let black: Float
    let white: Float

    /// From the matrix's weights: 219 steps of brightness and 224 of chroma in the video range.
    init(_ encoding: YUVEncoding, scale: Float, offset: Float) {
        let weights = encoding.matrix.weights
        let (red, blue) = (Float(weights.red), Float(weights.blue))
        let green = 1 - red - blue
        let lumaScale = scale * (encoding.isFullRange ? 1 : 255 / 219)
        let chromaScale = scale * (encoding.isFullRange ? 1 : 255 / 224) / 65536
        luma = lumaScale / 65536
        redV = chromaScale * 2 * (1 - red)
        blueU = chromaScale * 2 * (1 - blue)
        greenU = -chromaScale * 2 * (1 - blue) * blue / green
        greenV = -chromaScale * 2 * (1 - red) * red / green
        bias = offset - (encoding.isFullRange ? 0 : 16 * lumaScale)
        black = offset
        white = offset + 255 * scale
    }

    @inline(__always)
    func clamped(_ value: Float) -> Float {
        let raised = value < black ? black : value
        return raised > white ? white : raised
    }

    /// Writes one pixel from brightness and chroma, 16 bits behind the point.
    @inline(__always)
    func write(_ luma: Int32, _ u: Int32, _ v: Int32, to target: UnsafeMutablePointer<Float>) {
        let gray = Float(luma) * self.luma + bias
        let (u, v) = (Float(u &- 128 &<< 16), Float(v &- 128 &<< 16))
        target[0] = clamped(gray + v * redV)
        target[1] = clamped(gray + u * greenU + v * greenV)
        target[2] = clamped(gray + u * blueU)
    }

    /// Writes one gray pixel.
    @inline(__always)
    func write(_ luma: Int32, to target: UnsafeMutablePointer<Float>) {
        let gray = clamped(Float(luma) * self.luma + bias)
        target[0] = gray
        target[1] = gray
        target[2] = gray
    }
}

extension CropSampler {
    func sample(
        _ pixels: YUVPixels,
        _ grid: CropGrid,
        _ conversion: YUVConversion,
        into output: UnsafeMutablePointer<Float>
    ) {
        // This far from the edges the neighbours of a chroma position are inside too.
        let margin = pixels.isGray ? 0 : 1 << max(pixels.shiftX, pixels.shiftY)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: YUVCropRow.memoryCount(capacity: size)) { memory in
            guard let base = memory.baseAddress else { return }
            let cropRow = YUVCropRow(capacity: size, memory: base)
            for row in 0..<size {
                let target = output + 3 * size * row
                let interior = grid.interior(ofRow: row, margin: margin)
                for column in 0..<interior.lowerBound {
                    samplePixel(pixels, grid, conversion, column: column, row: row, target + 3 * column)
                }
                cropRow.sample(
                    pixels,
                    from: grid.position(ofColumn: interior.lowerBound, row: row),
                    step: (grid.columnX, grid.columnY),
                    count: interior.count,
                    conversion,
                    to: target + 3 * interior.lowerBound
                )
                for column in interior.upperBound..<size {
                    samplePixel(pixels, grid, conversion, column: column, row: row, target + 3 * column)
                }
            }
        }
    }

    /// Samples a single pixel, which may lie at the picture's edge or outside.
    @inline(__always)
    func samplePixel(
        _ pixels: YUVPixels,
        _ grid: CropGrid,
        _ conversion: YUVConversion,
        column: Int,
        row: Int,
        _ target: UnsafeMutablePointer<Float>
    ) {
        let (x, y) = grid.position(ofColumn: column, row: row)
        let inside = grid.clamped(x, y)
        if border == .black, inside.coverage == 0 {
            return target.update(repeating: offset, count: 3)
        }
        let luma = Self.blendAtEdge(
            pixels.luma,
            inside.x,
            inside.y,
            pixels.lumaRow,
            pixels.lumaStep,
            lastX: grid.lastX,
            lastY: grid.lastY
        )
        if pixels.isGray {
            conversion.write(luma, to: target)
        } else {
            let (lastX, lastY) = (grid.lastX >> pixels.shiftX, grid.lastY >> pixels.shiftY)
            var (chromaX, chromaY) = pixels.chromaPosition(inside.x, inside.y)
            chromaX = min(max(chromaX, 0), lastX << 32)
            chromaY = min(max(chromaY, 0), lastY << 32)
            let u = Self.blendAtEdge(
                pixels.u,
                chromaX,
                chromaY,
                pixels.chromaRow,
                pixels.chromaStep,
                lastX: lastX,
                lastY: lastY
            )
            let v = Self.blendAtEdge(
                pixels.v,
                chromaX,
                chromaY,
                pixels.chromaRow,
                pixels.chromaStep,
                lastX: lastX,
                lastY: lastY
            )
            conversion.write(luma, u, v, to: target)
        }
        guard border == .black, inside.coverage < 1 else { return }
        for channel in 0..<3 { target[channel] = offset + (target[channel] - offset) * inside.coverage }
    }

    /// Blends the four samples around a position, without reading beyond the last column and row.
    @inline(__always)
    private static func blendAtEdge(
        _ plane: UnsafePointer<UInt8>,
        _ x: Int,
        _ y: Int,
        _ rowBytes: Int,
        _ step: Int,
        lastX: Int,
        lastY: Int
    ) -> Int32 {
        let (column, row) = (x >> 32, y >> 32)
        let left = plane + (row * rowBytes + column * step)
        return interpolate(
            left,
            column < lastX ? left + step : left,
            row < lastY ? rowBytes : 0,
            (x >> 24) & 255,
            (y >> 24) & 255
        )
    }
}
