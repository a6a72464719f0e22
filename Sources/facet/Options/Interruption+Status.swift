extension Interruption {
    /// Tells the user what the signal did to the result. Returns the exit status that shells use for the signal.
    func status(_ result: String) -> ExitCode {
        Console.note("interrupted: \(result)")
        return ExitCode(128 + number)
    }
}
