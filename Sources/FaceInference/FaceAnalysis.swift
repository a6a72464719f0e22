package import FaceMetadata

/// What there is to know about the faces of one frame.
package struct FaceAnalysis: Sendable {
    /// The faces, oldest lineage first.
    package var observations: [FaceObservation]

    /// Whether the detector looked for new faces in this frame.
    package var ranDetector: Bool

    /// The mean brightness, 0…1, of the faces, or of the whole part that was searched if there are none; nil if nothing
    /// was looked at.
    package var luminance: Double?

    /// How long the detector took.
    package var detectionTime: Duration

    /// How long the landmark model took, for all faces.
    package var landmarkTime: Duration

    /// Makes an analysis of a frame.
    package init(
        observations: [FaceObservation] = [],
        ranDetector: Bool = false,
        luminance: Double? = nil,
        detectionTime: Duration = .zero,
        landmarkTime: Duration = .zero
    ) {
        self.observations = observations
        self.ranDetector = ranDetector
        self.luminance = luminance
        self.detectionTime = detectionTime
        self.landmarkTime = landmarkTime
    }
}
