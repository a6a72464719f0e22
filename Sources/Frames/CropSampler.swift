/// Samples a turned, scaled square out of a frame into the floating-point RGB that models take.
///
/// It reads the frame's own pixels, whatever their format, at the crop's positions only: no picture is converted or
/// turned as a whole. All samples are interpolated bilinearly, with pixel centres at integers. Nothing is allocated.
package struct CropSampler: Hashable, Sendable {
    package enum Border: Hashable, Sendable {
        /// The nearest pixel of the picture.
        case replicate
        case black
    }

    /// The width and height of the crop in pixels.
    package let size: Int

    package let border: Border

    /// How a sample 0…255 becomes a number: sample · scale + offset.
    package let scale: Float

    /// How a sample 0…255 becomes a number: sample · scale + offset.
    package let offset: Float

    /// Makes a sampler of crops of that many pixels squared, with numbers in `range` for black to white.
    package init(size: Int, border: Border, range: ClosedRange<Float>) {
        self.size = max(0, size)
        self.border = border
        scale = (range.upperBound - range.lowerBound) / 255
        offset = range.lowerBound
    }

    /// How many numbers a crop has: rows from the top, in them pixels from the left, in them red, green, blue.
    package var count: Int { 3 * size * size }

    /// Samples a crop.
    ///
    /// - Parameters:
    ///   - frame: The frame; its orientation is taken into account.
    ///   - uprightFromCrop: Maps a pixel of the crop (column, row) to pixels of the upright picture.
    ///   - output: Memory for `count` numbers.
    /// - Returns: False, with `output` untouched, if the frame has no pixels that can be read: a JPEG, a frame without
    ///   extent or without a plane that its format needs, or a transform that is not finite.
    package func sample(
        _ frame: Frame,
        through uprightFromCrop: AffineTransform,
        into output: UnsafeMutablePointer<Float>
    ) -> Bool {
        let storedFromCrop = uprightFromCrop.then(frame.orientation.storedFromUpright(stored: frame.size))
        guard let grid = CropGrid(storedFromCrop, size: size, in: frame.size) else { return false }
        if case .packedRGB(let bytesPerPixel, let red, let green, let blue) = frame.format {
            let pixels = RGBPixels(frame.planes.0, bytesPerPixel: bytesPerPixel, red: red, green: green, blue: blue)
            sample(pixels, grid, into: output)
            return true
        }
        guard let pixels = YUVPixels(frame) else { return false }
        sample(pixels, grid, YUVConversion(frame.encoding, scale: scale, offset: offset), into: output)
        return true
    }
}
