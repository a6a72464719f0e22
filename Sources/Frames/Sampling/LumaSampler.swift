/// Samples the brightness of a turned, scaled rectangle out of a frame.
///
/// It reads only the samples that it needs, of YUV just the Y plane. They are interpolated bilinearly, with pixel
/// centres at integers; positions outside the picture take the nearest pixel. Nothing is allocated.
package struct LumaSampler: Hashable, Sendable {
    private let width: Int
    private let height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (max(0, width), max(0, height)) }

    /// Samples a rectangle of a frame like `CropSampler`, as `width * height` levels from 0 (black) to 255 (white),
    /// whatever the frame's range.
    /// - Returns: False, with `output` untouched, if the frame has no readable pixels, or the transform is not finite.
    package func sample(
        _ frame: Frame,
        through uprightFromCrop: AffineTransform,
        into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        // With 8 bits behind the point.
        let range = frame.encoding.luma
        let luma = Int((256 * range.factor).rounded())
        let black = Int(range.black) << 16
        return CropRow.use(frame, uprightFromCrop, width: width) { numbers in
            for row in 0..<height {
                numbers.sample(row, 0..<width, withChroma: false)
                for column in 0..<width {
                    let first = Int(numbers.first[column])
                    // The weights of ITU-R BT.601 for colours.
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
