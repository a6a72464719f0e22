/// Samples a turned, scaled rectangle of a frame into the floating-point colours that models take.
///
/// It reads the frame's pixels in their own format, and only at the crop's positions: the picture is not converted as a
/// whole. The interpolation is bilinear, with pixel centres at integers. Nothing is allocated.
package struct CropSampler: Hashable, Sendable {
    package enum Border: Hashable, Sendable {
        /// Positions outside the picture get the picture's nearest pixel.
        case replicate
        case black
    }

    package enum Order: Hashable, Sendable { case rgb, bgr }

    package let width: Int
    package let height: Int
    private let border: Border
    private let order: Order
    /// The factor and the offset that turn a sample of 0…255 into an output value: sample · scale + offset.
    private let scale: Float
    private let offset: Float

    /// Makes a sampler of crops of `size` by `size` pixels, with output values in `range` from black to white.
    package init(size: Int, border: Border, range: ClosedRange<Float>) {
        self.init(width: size, height: size, border: border, range: range)
    }

    /// Makes a sampler of crops of `width` by `height` pixels, with output values in `range` from black to white.
    package init(width: Int, height: Int, border: Border, range: ClosedRange<Float>, order: Order = .rgb) {
        self.width = max(0, width)
        self.height = max(0, height)
        self.border = border
        self.order = order
        scale = (range.upperBound - range.lowerBound) / 255
        offset = range.lowerBound
    }

    /// The number of output values of a crop: three colours for each pixel, row by row from the top left.
    package var count: Int { 3 * width * height }

    /// Samples a crop of a frame into `count` numbers. `uprightFromCrop` maps the crop's pixels to the upright picture.
    /// - Returns: False, with `output` untouched, if the frame's pixels cannot be read or the transform is not finite.
    package func sample(
        _ frame: Frame,
        through uprightFromCrop: AffineTransform,
        into output: UnsafeMutablePointer<Float>
    ) -> Bool {
        let conversion = YUVConversion(frame.encoding, scale: scale, offset: offset)
        return CropRow.use(frame, uprightFromCrop, width: width) { numbers in
            let grid = numbers.grid
            let isRGB = numbers.samples.isRGB
            let (unit, black) = isRGB ? (scale / 65536, offset) : (1, 0)
            for row in 0..<height {
                let target = output + 3 * width * row
                // Outside these columns, not even a neighbour is in the picture.
                let columns = border == .replicate ? 0..<width : grid.interior(ofRow: row, margin: -1)
                numbers.sample(row, columns)
                let second = numbers.second
                let first = order == .rgb ? numbers.first : numbers.third
                let third = order == .rgb ? numbers.third : numbers.first
                if !isRGB { conversion.convert(numbers, columns) }
                for index in columns {
                    target[3 &* index] = first[index] * unit + black
                    target[3 &* index &+ 1] = second[index] * unit + black
                    target[3 &* index &+ 2] = third[index] * unit + black
                }
                if border == .black { fade(row, columns, grid, target) }
            }
        }
    }

    /// Returns the mean brightness, 0…1, of a part of a sampled crop, or of what is not black in it. Only every second
    /// row and column is read. NaN if nothing counts.
    package func luminance(
        of crop: UnsafePointer<Float>,
        columns: ClosedRange<Int>,
        rows: ClosedRange<Int>,
        withoutBlack: Bool = false
    ) -> Double {
        // The weights of ITU-R BT.601.
        let (first, third): (Float, Float) = order == .rgb ? (0.299, 0.114) : (0.114, 0.299)
        var sum: Float = 0
        var count: Float = 0
        for row in stride(from: rows.lowerBound, through: rows.upperBound, by: 2) {
            for column in stride(from: columns.lowerBound, through: columns.upperBound, by: 2) {
                let pixel = crop + 3 * (row * width + column)
                let brightness = first * pixel[0] + 0.587 * pixel[1] + third * pixel[2]
                guard !withoutBlack || brightness > offset else { continue }
                sum += brightness
                count += 1
            }
        }
        return Double((sum / count - offset) / (255 * scale))
    }

    /// Fills a row of the crop with black outside the picture, and fades it to black at the picture's edge.
    private func fade(_ row: Int, _ columns: Range<Int>, _ grid: CropGrid, _ target: UnsafeMutablePointer<Float>) {
        target.update(repeating: offset, count: 3 * columns.lowerBound)
        (target + 3 * columns.upperBound).update(repeating: offset, count: 3 * (width - columns.upperBound))
        let interior = grid.interior(ofRow: row).clamped(to: columns)
        for part in [columns.lowerBound..<interior.lowerBound, interior.upperBound..<columns.upperBound] {
            for column in part {
                let (x, y) = grid.position(ofColumn: column, row: row)
                let coverage = grid.clamped(x, y).coverage
                for index in 3 * column..<3 * column + 3 {
                    target[index] = offset + (target[index] - offset) * coverage
                }
            }
        }
    }
}
