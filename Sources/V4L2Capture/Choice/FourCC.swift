/// A pixel format as V4L2 names it: four characters in a number, the first in the lowest byte.
public struct FourCC: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number that V4L2 uses.
    public var rawValue: UInt32

    /// Makes a format from V4L2's number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Makes a format from its name of one to four printable ASCII characters; nil for any other text.
    public init?(_ name: String) {
        let bytes = Array(name.utf8)
        guard (1...4).contains(bytes.count), bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
        let padded = bytes + Array(repeating: 0x20, count: 4 - bytes.count)
        rawValue = padded.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The name without trailing spaces; unprintable characters are shown as `?`.
    public var description: String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) & 0x7F }
        let text = String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
        return String(text.reversed().drop { $0 == " " }.reversed())
    }

    /// YUV 4:2:2 in one plane, in the order Y, U, Y, V.
    public static let yuyv = FourCC(rawValue: 0x5659_5559)
    /// A plane of Y, and a plane of alternating U and V; chroma is halved in width and height.
    public static let nv12 = FourCC(rawValue: 0x3231_564E)
    /// One JPEG per frame.
    public static let mjpg = FourCC(rawValue: 0x4750_4A4D)
    /// One JPEG per frame, under the name that older drivers use.
    public static let jpeg = FourCC(rawValue: 0x4745_504A)
    /// Gray, 8 bits per pixel.
    public static let grey = FourCC(rawValue: 0x5945_5247)
    /// Gray in 16-bit words, of which drivers use different numbers of bits.
    public static let y16 = FourCC(rawValue: 0x2036_3159)
    /// Gray in 16-bit words, of which 12 bits are used.
    public static let y12 = FourCC(rawValue: 0x2032_3159)
    /// Gray in 16-bit words, of which 10 bits are used.
    public static let y10 = FourCC(rawValue: 0x2030_3159)
    /// Planes of Y, U and V; chroma is halved in width and height.
    public static let yu12 = FourCC(rawValue: 0x3231_5559)
    /// Planes of Y, V and U; chroma is halved in width and height.
    public static let yv12 = FourCC(rawValue: 0x3231_5659)
    /// Planes of Y, U and V; chroma is halved in width only.
    public static let yuv422p = FourCC(rawValue: 0x5032_3234)
    /// Packed bytes in the order R, G, B.
    public static let rgb3 = FourCC(rawValue: 0x3342_4752)
    /// Packed bytes in the order B, G, R.
    public static let bgr3 = FourCC(rawValue: 0x3352_4742)
    /// Packed bytes in the order B, G, R, then an unused one.
    public static let xr24 = FourCC(rawValue: 0x3432_5258)

    /// The layout of uncompressed pixels without gaps; nil for JPEG, 16-bit gray, `yv12` and unknown formats.
    package var rawPixels: PixelFormat? {
        guard self != .yv12, FrameLayout.wide[self] == nil else { return nil }
        let pixels = FrameLayout.formats.first { $0.name == self }?.pixels
        return pixels == .jpeg ? nil : pixels
    }
}
