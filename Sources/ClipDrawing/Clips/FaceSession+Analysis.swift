extension FaceSession {
    /// Finds the faces in a file until its end or Ctrl-C, or until `receive` returns false. Returns whether the end was
    /// reached. A command that works on several files passes an `interruption`, which reports Ctrl-C for all of them.
    /// - Throws: `CommandFailure` if the file cannot be read to its end, or the models are missing.
    @discardableResult
    static func analyse(
        _ path: String,
        _ options: Options = Options(),
        until interruption: Interruption? = nil,
        _ receive: (FaceUpdate) throws -> Bool
    ) async throws -> Bool {
        let own = interruption == nil ? Interruption() : nil
        defer { own?.cancel() }
        let session = try await FaceSession(source: .file(path), options: options)
        for try await update in session.updates(keeping: .waiting) {
            guard (interruption ?? own)?.isRaised != true, try receive(update) else { return false }
        }
        return true
    }
}
