/// Samples the brightness of a turned, scaled rectangle out of a frame.
///
/// It reads only the samples it needs, in the frame's own format: of YUV just the Y plane. Samples are interpolated
/// bilinearly, with pixel centres at integers; positions outside the picture take the nearest pixel. Nothing is allocated.
package struct LumaSampler: Hashable, Sendable {
    /// Pixels per row.
    package let width: Int

    package let height: Int

    /// Makes a sampler of rectangles of that many pixels.
    package init(width: Int, height: Int) {
        self.width = max(0, width)
        self.height = max(0, height)
    }

    /// Samples a rectangle.
    ///
    /// - Parameters:
    ///   - frame: The frame; its orientation is taken into account.
    ///   - uprightFromCrop: Maps a pixel of the rectangle (column, row) to pixels of the upright picture.
    ///   - output: Memory for `width * height` brightnesses, 0 black to 255 white whatever the frame's range.
    /// - Returns: False, with `output` untouched, if the frame has no pixels that can be read, or the transform is not
    ///   finite.
    package func sample(
        _ frame: Frame,
        through uprightFromCrop: AffineTransform,
        into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let storedFromCrop = uprightFromCrop.then(frame.orientation.storedFromUpright(stored: frame.size))
        guard let grid = CropGrid(storedFromCrop, size: width, in: frame.size) else { return false }
        if case .packedRGB(let bytesPerPixel, let red, let green, let blue) = frame.format {
            let pixels = RGBPixels(frame.planes.0, bytesPerPixel: bytesPerPixel, red: red, green: green, blue: blue)
            let plane = Plane(pixels.base, row: pixels.bytesPerRow, step: bytesPerPixel)
            sample(grid, into: output) { column, row, weights in
                // The weights of ITU-R BT.601 with 8 bits behind the point.
                77 * plane.offset(by: red).blend(column, row, weights)
                    + 150 * plane.offset(by: green).blend(column, row, weights)
                    + 29 * plane.offset(by: blue).blend(column, row, weights)
            }
            return true
        }
        guard let pixels = YUVPixels(frame) else { return false }
        let plane = Plane(pixels.luma, row: pixels.lumaRow, step: pixels.lumaStep)
        let isFull = frame.encoding.isFullRange
        sample(grid, into: output) { column, row, weights in
            let luma = plane.blend(column, row, weights)
            // 219 steps of the video range from 16; 298 / 256 = 255 / 219.
            return isFull ? luma << 8 : (luma - (16 << 16)) * 298
        }
        return true
    }

    /// Samples row by row; `value` gives the brightness of a position with 24 bits behind the point.
    @inline(__always)
    private func sample(
        _ grid: CropGrid,
        into output: UnsafeMutablePointer<UInt8>,
        _ value: (_ column: Int, _ row: Int, Neighbours) -> Int
    ) {
        for row in 0..<height {
            var (x, y) = grid.start(ofRow: row)
            for column in 0..<width {
                let insideX = min(max(x, 0), grid.lastX << CropGrid.fraction)
                let insideY = min(max(y, 0), grid.lastY << CropGrid.fraction)
                let (left, top) = (insideX >> CropGrid.fraction, insideY >> CropGrid.fraction)
                let neighbours = Neighbours(
                    weightX: (insideX >> 24) & 255,
                    weightY: (insideY >> 24) & 255,
                    hasRight: left < grid.lastX,
                    hasBelow: top < grid.lastY
                )
                let rounded = (value(left, top, neighbours) + (1 << 23)) >> 24
                output[row * width + column] = UInt8(clamping: rounded)
                x &+= grid.columnX
                y &+= grid.columnY
            }
        }
    }

    /// How much the pixels to the right and below count, with 8 bits behind the point, and whether there are any.
    private struct Neighbours {
        let weightX: Int
        let weightY: Int
        let hasRight: Bool
        let hasBelow: Bool
    }

    /// One sample of every pixel.
    private struct Plane {
        private let base: UnsafePointer<UInt8>
        private let row: Int
        private let step: Int

        init(_ base: UnsafePointer<UInt8>, row: Int, step: Int) {
            (self.base, self.row, self.step) = (base, row, step)
        }

        @inline(__always)
        func offset(by bytes: Int) -> Plane { Plane(base + bytes, row: row, step: step) }

        /// The interpolated sample, 16 bits behind the point.
        @inline(__always)
        func blend(_ column: Int, _ line: Int, _ neighbours: Neighbours) -> Int {
            let left = base + (line * row + column * step)
            let right = neighbours.hasRight ? left + step : left
            let down = neighbours.hasBelow ? row : 0
            return Int(CropSampler.interpolate(left, right, down, neighbours.weightX, neighbours.weightY))
        }
    }
}
