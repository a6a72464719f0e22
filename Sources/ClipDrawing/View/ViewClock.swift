/// The time of a view, which a pause stops, and that of its clip, which can begin again; in seconds.
struct ViewClock {
    private var clipStart = 0.0
    private var pauseStart: Double?
    var isPaused: Bool { pauseStart != nil }

    /// Stops the view's time, or lets it go on from where it was.
    mutating func setPaused(_ isPaused: Bool, at seconds: Double) {
        if isPaused {
            pauseStart = pauseStart ?? seconds
        } else if let start = pauseStart {
            clipStart += seconds - start
            pauseStart = nil
        }
    }

    mutating func restartClip(at seconds: Double) { clipStart = seconds }
    func shown(at seconds: Double) -> Double { pauseStart ?? seconds }
    func clip(at seconds: Double) -> Double { shown(at: seconds) - clipStart }
}
