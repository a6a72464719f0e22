/// The result of the analysis of one frame.
package struct FaceAnalysis: Sendable {
    /// The faces, oldest lineage first.
    package var observations: [FaceObservation] = []
    /// The detector's candidates that are no observations, because the landmark model did not agree or there are
    /// `maximumFaces` already; without an identity, and with the roll as the only known angle.
    package var unconfirmed: [FaceObject] = []
    /// Whether a face was not followed because there are `maximumFaces` already.
    package var isOverLimit = false
    /// Whether the frame seems to begin another scene. Without `isThorough` this is only checked when a face was lost.
    package var isCut = false
    package var ranDetector: Bool { detectionTime > .zero }
    package var landmarkRuns = 0
    /// The mean brightness, 0…1, of the faces, or of the searched part if there are none; nil if nothing was read.
    package var luminance: Double?
    package var detectionTime = Duration.zero
    package var landmarkTime = Duration.zero
}
