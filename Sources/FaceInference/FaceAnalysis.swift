public import FaceMetadata

/// What there is to know about the faces of one frame.
public struct FaceAnalysis: Sendable {
    /// The faces, oldest lineage first.
    public var observations: [FaceObservation]

    /// Whether the detector looked for new faces in this frame.
    public var ranDetector: Bool

    /// The mean brightness, 0…1, of the faces, or of the whole part that was searched if there are none; nil if nothing
    /// was looked at.
    public var luminance: Double?

    /// How long the detector took.
    public var detectionTime: Duration

    /// How long the landmark model took, for all faces.
    public var landmarkTime: Duration

    /// Makes an analysis of a frame.
    public init(
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
