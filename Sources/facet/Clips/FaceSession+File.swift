import FacetKit

extension FaceSession {
    /// Looks for faces in a file until its end, or until `take` wants no more; the session works a frame ahead of it.
    ///
    /// - Throws: `CommandFailure` if the file cannot be read to its end, or the models are missing.
    static func analyse(
        _ path: String,
        _ options: Options = Options(),
        until interruption: Interruption? = nil,
        _ take: (FaceUpdate) throws -> Bool
    ) async throws {
        let session = try await FaceSession(source: .file(path), options: options)
        for try await update in session.updates(keeping: .waiting) {
            guard interruption?.isRaised != true, try take(update) else { return }
        }
    }
}
