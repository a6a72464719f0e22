/// The time of a view and the position in its clip, in seconds. A pause stops both. A restart resets the position only.
struct ViewClock {
    private var clipStart = 0.0
    private var pauseStart: Double?
    var isPaused: Bool { pauseStart != nil }

    /// Begins or ends a pause. After a pause, a clip goes on where it stopped, and a live view shows the present again.
    mutating func togglePause(at seconds: Double) {
        clipStart += seconds - shown(at: seconds)
        pauseStart = isPaused ? nil : seconds
    }

    mutating func restartClip(at seconds: Double) { clipStart = seconds }
    func shown(at seconds: Double) -> Double { pauseStart ?? seconds }
    func clip(at seconds: Double) -> Double { shown(at: seconds) - clipStart }
}
