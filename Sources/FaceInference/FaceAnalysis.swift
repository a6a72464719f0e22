package import FaceMetadata

/// What there is to know about the faces of one frame.
package struct FaceAnalysis: Sendable {
    /// The faces, oldest lineage first.
    package var observations: [FaceObservation] = []
    /// What the detector took for a face and is none of the observations, because the landmark model did not agree or there
    /// are `maximumFaces` already; without an identity, and with the roll as the only angle that is known.
    package var unconfirmed: [FaceObject] = []
    /// Whether a face was not followed because there are `maximumFaces` already.
    package var isOverLimit = false
    /// Whether the frame seems to begin another scene than that of the frame before. Without `isThorough` that is only looked
    /// at when a face was lost.
    package var isCut = false
    package var ranDetector: Bool { detectionTime > .zero }
    package var landmarkRuns = 0
    /// The mean brightness, 0…1, of the faces, or of the whole part that was searched if there are none; nil if nothing
    /// was looked at.
    package var luminance: Double?
    package var detectionTime = Duration.zero
    package var landmarkTime = Duration.zero
}
