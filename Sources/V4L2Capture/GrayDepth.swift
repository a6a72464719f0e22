import Frames

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

    /// Writes a picture of that size in bytes, rows without gaps, of one of little-endian words with so many bytes from row to row.
    mutating func narrow(
        _ words: UnsafeRawPointer,
        bytesPerRow: Int,
        _ size: FrameSize,
        into bytes: UnsafeMutableRawPointer
    ) {
        let (width, height) = (size.width, size.height)
        func row(_ index: Int) -> UnsafeBufferPointer<UInt16> {
            let start = (words + index * bytesPerRow).assumingMemoryBound(to: UInt16.self)
            return UnsafeBufferPointer(start: start, count: width)
        }
        // How many words have so many bits, and how many have more than there are so far.
        var (counts, higher) = (InlineArray<17, Int>(repeating: 0), 0)
        for index in 0..<height {
            for word in row(index) where Int(word) >> bits > 0 {
                counts[16 - word.leadingZeroBitCount] += 1
                higher += 1
            }
        }
        while higher > width * height / Self.damagedShare {
            bits += 1
            higher -= counts[bits]
        }
        let shift = UInt16(bits - 8)
        for index in 0..<height {
            let line = (bytes + index * width).assumingMemoryBound(to: UInt8.self)
            let words = row(index)
            for column in 0..<width { line[column] = UInt8(min(255, words[column] &>> shift)) }
        }
    }
}
