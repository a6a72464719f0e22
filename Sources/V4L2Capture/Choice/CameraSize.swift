/// A size that a camera offers, or a range of sizes, with the frame rates for it.
public struct CameraSize: Hashable, Sendable, CustomStringConvertible {
    /// The smallest size of the range; the size itself if there is only one.
    public var minimum: FrameSize
    /// The largest size of the range; the size itself if there is only one.
    public var maximum: FrameSize
    /// The step between widths, and the step between heights, in pixels; at least 1.
    public var step = FrameSize(width: 1, height: 1)
    /// The ranges of frame rates, in frames per second; empty if the driver lists no rates.
    public var rates: [ClosedRange<Double>]

    /// Whether the camera offers exactly this size.
    public func contains(_ size: FrameSize) -> Bool { nearest(to: size) == size }

    /// The size in the range that is nearest to the given one, rounded down to a size that the steps allow.
    public func nearest(to size: FrameSize) -> FrameSize {
        func nearest(_ side: KeyPath<FrameSize, Int>) -> Int {
            let least = minimum[keyPath: side]
            let clamped = min(max(size[keyPath: side], least), max(least, maximum[keyPath: side]))
            return least + (clamped - least) / step[keyPath: side] * step[keyPath: side]
        }
        return FrameSize(width: nearest(\.width), height: nearest(\.height))
    }

    /// The size and the rates in words: `640x480 at 30, 15 fps`.
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

extension CameraSize {
    init(_ size: FrameSize, rates: [ClosedRange<Double>]) { self.init(minimum: size, maximum: size, rates: rates) }
}
