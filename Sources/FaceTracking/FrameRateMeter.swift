/// How many frames a second are analysed lately.
struct FrameRateMeter {
    private var last: Double?
    private var interval: Double?

    /// Whether two frames came at least.
    var isKnown: Bool { interval != nil }

    /// Frames per second; an assumed 30 until it is known.
    var value: Double { interval.map { 1 / $0 } ?? 30 }

    /// Takes a frame's time in seconds.
    mutating func advance(to time: Double) {
        defer { last = time }
        guard let last, time > last else { return }
        let new = time - last
        // One late frame out of ten must not switch blinks off, one slow second must.
        interval = interval.map { $0 + 0.1 * (new - $0) } ?? new
    }
}
