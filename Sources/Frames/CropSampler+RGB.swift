/// A picture of packed pixels.
struct RGBPixels {
    let base: UnsafePointer<UInt8>
    let bytesPerRow: Int
    let bytesPerPixel: Int
    /// Offsets in a pixel.
    let red: Int
    let green: Int
    let blue: Int

    init(_ plane: Frame.Plane, bytesPerPixel: Int, red: Int, green: Int, blue: Int) {
        base = plane.base.assumingMemoryBound(to: UInt8.self)
        bytesPerRow = plane.bytesPerRow
        self.bytesPerPixel = bytesPerPixel
        (self.red, self.green, self.blue) = (red, green, blue)
    }
}

extension CropSampler {
    func sample(_ pixels: RGBPixels, _ grid: CropGrid, into output: UnsafeMutablePointer<Float>) {
        // The interpolation leaves 16 bits behind the point.
        let unit = scale / 65536
        for row in 0..<size {
            let interior = grid.interior(ofRow: row)
            var (x, y) = grid.start(ofRow: row)
            var target = output + 3 * size * row
            var column = 0
            while column < size {
                if column >= interior.lowerBound && column < interior.upperBound {
                    let rowOffset = (y &>> 32) &* pixels.bytesPerRow
                    let left = pixels.base + (rowOffset &+ (x &>> 32) &* pixels.bytesPerPixel)
                    let right = left + pixels.bytesPerPixel
                    let (weightX, weightY) = ((x &>> 24) & 255, (y &>> 24) & 255)
                    Self.blend(left, right, pixels.bytesPerRow, pixels, weightX, weightY, unit, offset, target)
                } else {
                    sampleBorder(pixels, grid, x, y, target)
                }
                target += 3
                x &+= grid.columnX
                y &+= grid.columnY
                column &+= 1
            }
        }
    }

    @inline(__always)
    private static func blend(
        _ left: UnsafePointer<UInt8>,
        _ right: UnsafePointer<UInt8>,
        _ down: Int,
        _ pixels: RGBPixels,
        _ weightX: Int,
        _ weightY: Int,
        _ unit: Float,
        _ offset: Float,
        _ target: UnsafeMutablePointer<Float>
    ) {
        let red = interpolate(left + pixels.red, right + pixels.red, down, weightX, weightY)
        let green = interpolate(left + pixels.green, right + pixels.green, down, weightX, weightY)
        let blue = interpolate(left + pixels.blue, right + pixels.blue, down, weightX, weightY)
        target[0] = Float(red) * unit + offset
        target[1] = Float(green) * unit + offset
        target[2] = Float(blue) * unit + offset
    }

    /// Blends a sample with its neighbours to the right and below; 16 bits behind the point.
    @inline(__always)
    static func interpolate(
        _ left: UnsafePointer<UInt8>,
        _ right: UnsafePointer<UInt8>,
        _ down: Int,
        _ weightX: Int,
        _ weightY: Int
    ) -> Int32 {
        let (topLeft, topRight) = (Int32(left[0]), Int32(right[0]))
        let (bottomLeft, bottomRight) = (Int32(left[down]), Int32(right[down]))
        let (x, y) = (Int32(truncatingIfNeeded: weightX), Int32(truncatingIfNeeded: weightY))
        let top = (topLeft &<< 8) &+ x &* (topRight &- topLeft)
        let bottom = (bottomLeft &<< 8) &+ x &* (bottomRight &- bottomLeft)
        return (top &<< 8) &+ y &* (bottom &- top)
    }

    @inline(never)
    private func sampleBorder(
        _ pixels: RGBPixels,
        _ grid: CropGrid,
        _ x: Int,
        _ y: Int,
        _ target: UnsafeMutablePointer<Float>
    ) {
        let inside = grid.clamped(x, y)
        let (column, row) = (inside.x >> 32, inside.y >> 32)
        let left = pixels.base + row * pixels.bytesPerRow + column * pixels.bytesPerPixel
        let right = column < grid.lastX ? left + pixels.bytesPerPixel : left
        let down = row < grid.lastY ? pixels.bytesPerRow : 0
        let coverage = border == .replicate ? 1 : inside.coverage
        Self.blend(
            left,
            right,
            down,
            pixels,
            (inside.x >> 24) & 255,
            (inside.y >> 24) & 255,
            scale / 65536 * coverage,
            offset,
            target
        )
    }
}
