/// Samples the brightness of a turned, scaled rectangle of a frame.
///
/// It reads only the samples that it needs, of YUV just the Y plane. The interpolation is bilinear, with pixel centres
/// at integers. Positions outside the picture get the nearest pixel. Nothing is allocated.
package struct LumaSampler: Hashable, Sendable {
    private let width: Int
    private let height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (max(0, width), max(0, height)) }

    /// Samples a rectangle of a frame like `CropSampler`, as `width * height` values, 0 for black and 255 for white.
    /// - Returns: False, with `output` untouched, if the frame's pixels cannot be read or the transform is not finite.
    package func sample(
        _ frame: Frame,
        through uprightFromCrop: AffineTransform,
        into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        // The factor has 8 fractional bits, and the black level 16, as the samples have.
        let range = frame.encoding.luma
        let luma = Int((256 * range.factor).rounded())
        let black = Int(range.black) << 16
        return CropRow.use(frame, uprightFromCrop, width: width) { numbers in
            for row in 0..<height {
                numbers.sample(row, 0..<width, withChroma: false)
                for column in 0..<width {
                    let first = Int(numbers.first[column])
                    // The weights of ITU-R BT.601, in 256ths.
                    let value =
                        numbers.samples.isRGB
                        ? 77 * first + 150 * Int(numbers.second[column]) + 29 * Int(numbers.third[column])
                        : (first - black) * luma
                    output[row * width + column] = UInt8(clamping: (value + 1 << 23) >> 24)
                }
            }
        }
    }
}
