/// The positions of a crop's pixels in the stored picture, in fixed-point numbers.
///
/// With 32 bits behind the point, 200 steps err by less than a millionth of a pixel, and the integer part and the
/// weights come out with shifts.
struct CropGrid {
    static let fraction = 32

    let size: Int
    /// The last pixel's index in the stored picture.
    let lastX: Int
    let lastY: Int
    /// The steps of the position per column and per row of the crop.
    let columnX: Int
    let columnY: Int
    private let rowX: Int
    private let rowY: Int
    private let startX: Int
    private let startY: Int

    /// Makes the grid; nil if the picture is empty, or a coefficient is not finite or absurdly large.
    init?(_ map: AffineTransform, size: Int, in picture: FrameSize) {
        let coefficients = [map.a, map.b, map.c, map.d, map.tx, map.ty]
        guard picture.width > 0, picture.height > 0, size > 0, size <= 4096,
            // 4096 columns, 4096 rows and the start, of 100,000 pixels each, fit 63 bits with 32 behind the point.
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

    /// The columns of a row whose pixel and its right and lower neighbours are inside the picture, and at least
    /// `margin` pixels away from its edges.
    func interior(ofRow row: Int, margin: Int = 0) -> Range<Int> {
        let (x, y) = position(row: row)
        let inset = margin << Self.fraction
        let inX = columns(from: x - inset, step: columnX, below: (lastX << Self.fraction) - 2 * inset)
        let inY = columns(from: y - inset, step: columnY, below: (lastY << Self.fraction) - 2 * inset)
        return inX.clamped(to: inY)
    }

    /// The columns i for which 0 ≤ start + i·step < limit.
    private func columns(from start: Int, step: Int, below limit: Int) -> Range<Int> {
        guard limit > 0 else { return 0..<0 }
        guard step != 0 else { return start >= 0 && start < limit ? 0..<size : 0..<0 }
        // Walking backwards is walking forwards from the mirrored start.
        let (forward, stride) = step > 0 ? (start, step) : (limit - 1 - start, -step)
        let first = forward >= 0 ? 0 : (-forward + stride - 1) / stride
        let end = forward >= limit ? 0 : (limit - forward + stride - 1) / stride
        return first < min(end, size) ? first..<min(end, size) : 0..<0
    }

    /// Moves a position into the picture; also gives the share, 0…1, of its four neighbours that was inside.
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
