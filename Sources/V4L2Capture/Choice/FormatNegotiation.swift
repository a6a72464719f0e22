/// Chooses a mode from those that a camera offers. The user's request is binding. Among the modes that fulfil it, the
/// size nearest to 640×480 is preferred, then the highest rate up to 30 per second, then the format that is cheapest to
/// read. So a camera with 1280×720 at 10 fps in YUYV and at 30 fps in MJPG is read in MJPG.
struct FormatNegotiation {
    static let preferred = FrameLayout.formats.map(\.name)
    /// The frame rate that suffices, in frames per second. Higher rates bring no benefit.
    static let usualRate = 30.0
    /// The maximum relative difference at which two rates count as the same, such as 29.97 and 30.
    static let rateTolerance = 0.011

    let request: CaptureRequest
    /// The requested size; if none is requested, the size to which the mode's size should be nearest.
    var wanted: FrameSize { request.size ?? .usual }

    /// Returns the best mode; nil if no readable format can do what is requested.
    func choose(from formats: [CameraFormat]) -> CaptureMode? {
        formats.flatMap(candidates).max { isWorse($0, than: $1) }
    }

    private func candidates(in format: CameraFormat) -> [CaptureMode] {
        guard Self.preferred.contains(format.fourCC), request.format == nil || request.format == format.fourCC else {
            return []
        }
        func mode(_ size: FrameSize, _ rate: Double?) -> CaptureMode {
            CaptureMode(format: format.fourCC, size: size, rate: rate, isEmulated: format.isEmulated)
        }
        // A driver that lists no sizes is asked directly, and its answer is checked.
        guard !format.sizes.isEmpty else { return [mode(wanted, request.rate)] }
        return format.sizes.flatMap { size in
            if request.size != nil, !size.contains(wanted) { return [CaptureMode]() }
            return rates(of: size).map { mode(size.nearest(to: wanted), $0) }
        }
    }

    /// Returns an array with the rate for a size: empty if the requested rate is not offered, `[nil]` if none is known.
    private func rates(of size: CameraSize) -> [Double?] {
        guard !size.rates.isEmpty else { return [request.rate] }
        if let wanted = request.rate {
            let isOffered = size.rates.contains {
                wanted >= $0.lowerBound * (1 - Self.rateTolerance) && wanted <= $0.upperBound * (1 + Self.rateTolerance)
            }
            return isOffered ? [wanted] : []
        }
        let choices = size.rates.map { min(max(Self.usualRate, $0.lowerBound), $0.upperBound) }
        return [choices.max { Self.isSlower($0, than: $1) }]
    }

    private func isWorse(_ left: CaptureMode, than right: CaptureMode) -> Bool {
        // A converted format is the last resort, however good its size and rate are.
        if left.isEmulated != right.isEmulated { return left.isEmulated }
        let distances = (distance(left.size), distance(right.size))
        if distances.0 != distances.1 { return distances.0 > distances.1 }
        let rates = (left.rate ?? Self.usualRate, right.rate ?? Self.usualRate)
        if Self.isSlower(rates.0, than: rates.1) { return true }
        if Self.isSlower(rates.1, than: rates.0) { return false }
        return rank(left.format) > rank(right.format)
    }

    /// Whether the left rate is worse. Up to `usualRate`, higher rates are better; above it, lower rates are better.
    private static func isSlower(_ left: Double, than right: Double) -> Bool {
        func worth(_ rate: Double) -> Double { rate <= usualRate ? rate : usualRate * usualRate / rate }
        return worth(left) < worth(right) * (1 - rateTolerance)
    }

    private func distance(_ size: FrameSize) -> Int {
        abs(size.width - wanted.width) + abs(size.height - wanted.height)
    }

    private func rank(_ format: FourCC) -> Int { Self.preferred.firstIndex(of: format) ?? Self.preferred.count }
}

struct CaptureMode: Hashable {
    var format: FourCC
    var size: FrameSize
    /// The rate to ask for; nil if the driver lists no rates and no rate was requested.
    var rate: Double?
    var isEmulated = false
}
