public import Frames

/// One pixel format that a camera offers, with its sizes and rates.
public struct CameraFormat: Hashable, Sendable {
    /// The format's name.
    public var fourCC: FourCC

    /// What the driver calls it, for people.
    public var name: String

    /// Whether libv4lconvert makes it out of another one.
    public var isEmulated = false

    /// The sizes in the driver's order; empty if the driver does not list them.
    public var sizes: [CameraSize]
}

/// A size that a camera offers, or a range of sizes, with the frame rates for it.
public struct CameraSize: Hashable, Sendable {
    /// The smallest size of the range; the size itself if there is only one.
    public var minimum: FrameSize

    /// The largest size of the range; the size itself if there is only one.
    public var maximum: FrameSize

    /// Steps between widths and heights in pixels, at least 1.
    public var step: FrameSize

    /// Frames per second; empty if the driver does not list them.
    public var rates: [ClosedRange<Double>]

    package init(
        minimum: FrameSize,
        maximum: FrameSize,
        step: FrameSize = FrameSize(width: 1, height: 1),
        rates: [ClosedRange<Double>]
    ) {
        self.minimum = minimum
        self.maximum = maximum
        self.step = FrameSize(width: max(1, step.width), height: max(1, step.height))
        self.rates = rates
    }

    package init(_ size: FrameSize, rates: [ClosedRange<Double>]) {
        self.init(minimum: size, maximum: size, rates: rates)
    }

    /// Whether the range holds exactly this size.
    public func contains(_ size: FrameSize) -> Bool {
        nearest(to: size) == size
    }

    /// The size of the range that comes nearest.
    public func nearest(to size: FrameSize) -> FrameSize {
        FrameSize(
            width: Self.nearest(size.width, minimum.width, maximum.width, step.width),
            height: Self.nearest(size.height, minimum.height, maximum.height, step.height)
        )
    }

    private static func nearest(_ value: Int, _ minimum: Int, _ maximum: Int, _ step: Int) -> Int {
        let clamped = min(max(value, minimum), max(minimum, maximum))
        return minimum + (clamped - minimum) / step * step
    }
}

extension CameraSize: CustomStringConvertible {
    /// Size and rates as people read them: `640x480 at 30, 15 fps`.
    public var description: String {
        let extent = minimum == maximum ? "\(minimum)" : "\(minimum) to \(maximum)"
        guard !rates.isEmpty else { return extent }
        return "\(extent) at \(rates.map(Self.text).joined(separator: ", ")) fps"
    }

    private static func text(_ rate: ClosedRange<Double>) -> String {
        rate.lowerBound == rate.upperBound
            ? decimal(rate.lowerBound) : "\(decimal(rate.lowerBound)) to \(decimal(rate.upperBound))"
    }

    /// The number with at most two decimals.
    static func decimal(_ value: Double) -> String {
        let text = "\((value * 100).rounded() / 100)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension CameraFormat: CustomStringConvertible {
    /// The format and its sizes on one line.
    public var description: String {
        let list = sizes.isEmpty ? "sizes not listed by the driver" : sizes.map(\.description).joined(separator: "; ")
        return "\(fourCC)\(isEmulated ? " (converted)" : ""): \(list)"
    }
}

/// A pixel format as V4L2 names it: four characters in a number, the first in the lowest byte.
public struct FourCC: RawRepresentable, Hashable, Sendable {
    /// The number that the driver knows.
    public var rawValue: UInt32

    /// Makes a format from the driver's number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Makes a format from its name of up to four ASCII characters; nil for another name.
    public init?(_ name: String) {
        let bytes = Array(name.utf8)
        guard (1...4).contains(bytes.count), bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
        let padded = bytes + Array(repeating: 0x20, count: 4 - bytes.count)
        rawValue = padded.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension FourCC: CustomStringConvertible {
    /// The name, without trailing spaces; characters that can't be printed as `?`.
    public var description: String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) & 0x7F }
        let text = String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
        return String(text.reversed().drop { $0 == " " }.reversed())
    }
}

extension FourCC {
    /// YUV 4:2:2 in one plane.
    public static let yuyv = FourCC(rawValue: 0x5659_5559)
    /// A plane of Y, and one of U and V interleaved.
    public static let nv12 = FourCC(rawValue: 0x3231_564E)
    /// One JPEG per frame.
    public static let mjpg = FourCC(rawValue: 0x4750_4A4D)
    /// One JPEG per frame, under the name that older drivers use.
    public static let jpeg = FourCC(rawValue: 0x4745_504A)
    /// Brightness only.
    public static let grey = FourCC(rawValue: 0x5945_5247)
    /// Brightness only, in words of 16 bits, of which drivers use as many as they like.
    public static let y16 = FourCC(rawValue: 0x2036_3159)
    /// Brightness only, in words of 12 bits.
    public static let y12 = FourCC(rawValue: 0x2032_3159)
    /// Brightness only, in words of 10 bits.
    public static let y10 = FourCC(rawValue: 0x2030_3159)
    /// Planes of Y, U, V; chroma halved both ways.
    public static let yu12 = FourCC(rawValue: 0x3231_5559)
    /// Planes of Y, V, U; chroma halved both ways.
    public static let yv12 = FourCC(rawValue: 0x3231_5659)
    /// Planes of Y, U, V; chroma halved in width.
    public static let yuv422p = FourCC(rawValue: 0x5032_3234)
    /// Bytes of R, G, B.
    public static let rgb3 = FourCC(rawValue: 0x3342_4752)
    /// Bytes of B, G, R.
    public static let bgr3 = FourCC(rawValue: 0x3352_4742)
    /// Bytes of B, G, R and one unused.
    public static let xr24 = FourCC(rawValue: 0x3432_5258)
}
