public import Frames

/// One pixel format that a camera offers, with its sizes and rates.
public struct CameraFormat: Hashable, Sendable {
    /// The format's name.
    public var fourCC: FourCC

    /// What the driver calls it, for people.
    public var name: String

    /// Whether libv4lconvert makes it out of another one.
    public var isEmulated: Bool

    /// The sizes in the driver's order; empty if the driver does not list them.
    public var sizes: [CameraSize]

    /// Makes a format from its parts.
    public init(fourCC: FourCC, name: String, isEmulated: Bool = false, sizes: [CameraSize]) {
        self.fourCC = fourCC
        self.name = name
        self.isEmulated = isEmulated
        self.sizes = sizes
    }
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

    /// Makes a range of sizes.
    public init(
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

    /// Makes a single size.
    public init(_ size: FrameSize, rates: [ClosedRange<Double>]) {
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
        let hundredths = Int((value * 100).rounded())
        guard hundredths % 100 != 0 else { return "\(hundredths / 100)" }
        let fraction = hundredths % 100
        let digits = fraction % 10 == 0 ? "\(fraction / 10)" : fraction < 10 ? "0\(fraction)" : "\(fraction)"
        return "\(hundredths / 100).\(digits)"
    }
}

extension CameraFormat: CustomStringConvertible {
    /// The format and its sizes on one line.
    public var description: String {
        let list = sizes.isEmpty ? "sizes not listed by the driver" : sizes.map(\.description).joined(separator: "; ")
        return "\(fourCC)\(isEmulated ? " (converted)" : ""): \(list)"
    }
}
