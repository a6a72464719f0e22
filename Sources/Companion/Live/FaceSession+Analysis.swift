package import FacetKit
import MediaFiles

extension FaceSession {
    /// Looks for faces in a file until its end, Ctrl-C, or until `take` wants no more; the session works a frame ahead of it.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - options: how it is looked at.
    ///   - interruption: what Ctrl-C interrupts beside this file; nil for nothing.
    ///   - take: takes an update; returns whether it wants more.
    /// - Returns: Whether it was not ended early.
    /// - Throws: `CommandFailure` if the file cannot be read to its end, or the models are missing.
    @discardableResult
    package static func analyse(
        _ path: String,
        _ options: Options = Options(),
        until interruption: Interruption? = nil,
        _ take: (FaceUpdate) throws -> Bool
    ) async throws -> Bool {
        let isOwn = interruption == nil
        let interruption = interruption ?? Interruption()
        defer { if isOwn { interruption.cancel() } }
        let session = try await FaceSession(source: .file(path), options: options)
        for try await update in session.updates(keeping: .waiting) {
            guard !interruption.isRaised, try take(update) else { return false }
        }
        return true
    }
}
