import Frames

/// Reads what the decoder must know before it begins.
enum JPEGHeader {
    /// The picture's size; nil if the bytes are no JPEG or end before they tell it.
    static func size(of jpeg: [UInt8]) -> FrameSize? {
        guard jpeg.starts(with: [0xFF, 0xD8]) else { return nil }
        var position = 2
        while position + 9 <= jpeg.count, jpeg[position] == 0xFF {
            let marker = jpeg[position + 1]
            // A byte 0xFF may be repeated to fill up.
            guard marker != 0xFF else {
                position += 1
                continue
            }
            if isFrameHeader(marker) {
                let (height, width) = (number(jpeg, at: position + 5), number(jpeg, at: position + 7))
                return width > 0 && height > 0 ? FrameSize(width: width, height: height) : nil
            }
            position += 2 + number(jpeg, at: position + 2)
        }
        return nil
    }

    /// SOF0…SOF15 (ITU-T T.81, table B.1) but for the three of that range that mean something else.
    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    private static func number(_ bytes: [UInt8], at position: Int) -> Int {
        Int(bytes[position]) << 8 | Int(bytes[position + 1])
    }
}
