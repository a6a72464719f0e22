/// The positions of a crop's pixels in the stored picture, as fixed-point numbers with 32 fractional bits. After 200
/// steps from pixel to pixel, the accumulated rounding error is below a millionth of a pixel. Bit shifts give a
/// position's integer part and its interpolation weights.
struct CropGrid {
    static let fraction = 32

    let size: Int
    /// The index of the last column (`lastX`) and of the last row (`lastY`) of the stored picture.
    let lastX: Int
    let lastY: Int
    /// The x and y steps in the stored picture from a column of the crop to the next, and from a row to the next.
    let columnX: Int
    let columnY: Int
    private let rowX: Int
    private let rowY: Int
    private let startX: Int
    private let startY: Int

    /// Makes the grid for a map from crop to picture; nil if the picture is empty, or a coefficient huge or not finite.
    init?(_ map: AffineTransform, size: Int, in picture: FrameSize) {
        let coefficients = [map.a, map.b, map.c, map.d, map.tx, map.ty]
        guard picture.width > 0, picture.height > 0, size > 0, size <= 4096,
            // The start and 4096 steps each way, all below 100,000 pixels, fit 63 bits with 32 of them fractional.
            coefficients.allSatisfy({ $0.magnitude < 100_000 })
        else { return nil }
        self.size = size
        lastX = picture.width - 1
        lastY = picture.height - 1
        func fixed(_ value: Float) -> Int { Int((Double(value) * Double(1 << Self.fraction)).rounded()) }
        (columnX, rowX, startX) = (fixed(map.a), fixed(map.b), fixed(map.tx))
        (columnY, rowY, startY) = (fixed(map.c), fixed(map.d), fixed(map.ty))
    }

    func position(ofColumn column: Int = 0, row: Int) -> (x: Int, y: Int) {
        (startX + row * rowX + column * columnX, startY + row * rowY + column * columnY)
    }

    /// Returns the columns of a crop row whose samples only need pixels at least `margin` pixels inside the picture.
    func interior(ofRow row: Int, margin: Int = 0) -> Range<Int> {
        let (x, y) = position(row: row)
        let inset = margin << Self.fraction
        let inX = columns(from: x - inset, step: columnX, below: (lastX << Self.fraction) - 2 * inset)
        let inY = columns(from: y - inset, step: columnY, below: (lastY << Self.fraction) - 2 * inset)
        return inX.clamped(to: inY)
    }

    /// Returns the columns i of the crop for which 0 ≤ start + i·step < limit.
    private func columns(from start: Int, step: Int, below limit: Int) -> Range<Int> {
        guard limit > 0 else { return 0..<0 }
        guard step != 0 else { return start >= 0 && start < limit ? 0..<size : 0..<0 }
        // A negative step is handled as a positive one from the mirrored start.
        let (forward, stride) = step > 0 ? (start, step) : (limit - 1 - start, -step)
        let first = forward >= 0 ? 0 : (-forward + stride - 1) / stride
        let end = forward >= limit ? 0 : (limit - forward + stride - 1) / stride
        return first < min(end, size) ? first..<min(end, size) : 0..<0
    }

    /// Returns the position in the picture nearest to x, y. `coverage` is 1 inside and falls to 0 one pixel outside.
    func clamped(_ x: Int, _ y: Int) -> (x: Int, y: Int, coverage: Float) {
        let (insideX, coverageX) = Self.clamped(x, lastX)
        let (insideY, coverageY) = Self.clamped(y, lastY)
        return (insideX, insideY, coverageX * coverageY)
    }

    private static func clamped(_ position: Int, _ last: Int) -> (position: Int, coverage: Float) {
        let limit = last << fraction
        let excess = position < 0 ? -position : position > limit ? position - limit : 0
        guard excess > 0 else { return (position, 1) }
        let one = 1 << fraction
        return (position < 0 ? 0 : limit, excess >= one ? 0 : 1 - Float(excess) / Float(one))
    }
}
