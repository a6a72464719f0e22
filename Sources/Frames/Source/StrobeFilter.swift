/// Recognises from the frames' brightness a lamp that flashes for every other frame, as in infrared cameras.
///
/// The frames without a flash are dark, and useless for finding faces.
struct StrobeFilter: Sendable {
    /// The maximum brightness of a dark frame, as a fraction of a lit frame's. Sunlight makes unlit frames brighter.
    private static let darkest: Float = 0.5
    /// The minimum difference between dark and lit frames, in levels of 0…255. Smaller ones are noise in a dark room.
    private static let smallestStep: Float = 6
    /// The number of alternations between dark and lit frames from which the lamp is taken to flash.
    private static let needed = 4
    /// The maximum of `alternations`, high enough that one lost frame does not end the detection of the lamp.
    private static let most = 8

    private var previous: Float?
    private var isRising = false
    private var alternations = 0
    private var lit: Float = 0

    /// Updates the search for a flashing lamp with the brightness of the next frame, 0…255.
    /// - Returns: Whether the camera's lamp flashes for every other frame and was off in this one.
    mutating func isUnlit(_ brightness: Float) -> Bool {
        guard let before = exchange(&previous, with: brightness) else { return false }
        let isStep = isDark(brightness, beside: before) || isDark(before, beside: brightness)
        let isAlternation = isStep && isRising != (brightness > before)
        if isStep { isRising = brightness > before }
        alternations = isAlternation ? min(Self.most, alternations + 1) : max(0, alternations - 3)
        if brightness > before || !isStep { lit = isStep ? brightness : max(lit, brightness) }
        return alternations >= Self.needed && isDark(brightness, beside: lit)
    }

    private func isDark(_ brightness: Float, beside other: Float) -> Bool {
        brightness < other * Self.darkest && other - brightness > Self.smallestStep
    }
}

extension Frame {
    /// The mean of 16 × 12 samples of brightness (of green in RGB), 0…255 in the frame's own range; nil for a JPEG.
    var sampledBrightness: Float? {
        guard let samples = FrameSamples(self)?.first else { return nil }
        let columns = 16
        let rows = 12
        var sum = 0
        for row in 0..<rows {
            let y = (2 * row + 1) * size.height / (2 * rows)
            for column in 0..<columns {
                sum += Int(samples.sample(1, (2 * column + 1) * size.width / (2 * columns), y))
            }
        }
        withExtendedLifetime(lease) {}
        return Float(sum) / Float(columns * rows)
    }
}
