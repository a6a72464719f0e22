/// Makes bytes of the 16-bit words in which infrared cameras give brightness.
///
/// How many bits of a word are used is measured, since drivers do not say: formats named Y16 hold 10 or 12 bits too, and
/// words of a 10-bit format may begin at the top.
struct GrayDepth {
    /// One word in so many is taken for damage if it has more bits than those before; more words show the depth.
    private static let damagedShare = 1000

    /// At the beginning by the format's name.
    private(set) var bits: Int

    init(atLeast bits: Int) { self.bits = bits }

    /// Writes a picture of bytes, rows without gaps.
    ///
    /// - Parameters:
    ///   - words: The picture of little-endian words.
    ///   - bytesPerRow: From one of its rows to the next.
    ///   - width: Words in a row.
    ///   - height: Rows.
    ///   - bytes: Memory for `width * height` bytes.
    mutating func narrow(
        _ words: UnsafeRawPointer,
        bytesPerRow: Int,
        width: Int,
        height: Int,
        into bytes: UnsafeMutableRawPointer
    ) {
        func row(_ index: Int) -> UnsafeBufferPointer<UInt16> {
            let start = (words + index * bytesPerRow).assumingMemoryBound(to: UInt16.self)
            return UnsafeBufferPointer(start: start, count: width)
        }
        var (used, higher) = (UInt16(0), 0)
        for index in 0..<height {
            for word in row(index) where Int(word) >> bits > 0 {
                used |= word
                higher += 1
            }
        }
        if higher > width * height / Self.damagedShare { bits = 16 - used.leadingZeroBitCount }
        let shift = UInt16(bits - 8)
        for index in 0..<height {
            let line = (bytes + index * width).assumingMemoryBound(to: UInt8.self)
            let words = row(index)
            for column in 0..<width { line[column] = UInt8(min(255, words[column] &>> shift)) }
        }
    }
}
