/// The time of a view and that of its clip, in seconds. A pause stops both, and the clip's can begin again at 0.
struct ViewClock {
    private var clipStart = 0.0
    private var pauseStart: Double?
    var isPaused: Bool { pauseStart != nil }

    /// Begins or ends a pause. After it, the clip's time goes on from where it was, and the view's time is the present.
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
