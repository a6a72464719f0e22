/// Recognises, by the brightness of frames, a lamp that flashes with every other frame, as in infrared cameras.
///
/// The frames between are dark, and useless for a program that looks at faces.
struct StrobeFilter: Sendable {
    /// The largest brightness of a dark frame as a share of a lit one's. In sunlight both are useful.
    private static let darkest: Float = 0.5
    /// The least difference, in steps of 255, that is not noise of a room without light.
    private static let smallestStep: Float = 6
    /// The number of alternations from frame to frame that make a pattern.
    private static let needed = 4
    /// The number of alternations that are remembered, so that the pattern outlasts a lost frame.
    private static let most = 8

    private var previous: Float?
    private var isRising = false
    private var alternations = 0
    private var lit: Float = 0

    /// Takes the next frame's brightness, 0 to 255.
    /// - Returns: Whether the lamp flashes and was off.
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
    /// The mean brightness of some pixels, 0 to 255 in the frame's own range, of RGB that of green; nil for a JPEG.
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
