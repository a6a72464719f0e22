/// The result of the analysis of one frame.
package struct FaceAnalysis: Sendable {
    /// The observed faces, oldest lineage first. A lineage is a face's number while it is followed without a break.
    package var observations: [FaceObservation] = []
    /// The detector's candidates that did not become observations, for example because close-ups did not confirm them
    /// or `maximumFaces` are followed already. Their identity is 0 and their pitch unknown.
    package var unconfirmed: [FaceObject] = []
    /// Whether only small or only large faces were searched for, since the next frame is searched for the others.
    package var isPartlySearched = false
    /// Whether a confirmed face was not followed because `maximumFaces` are followed already.
    package var isOverLimit = false
    /// Whether the frame seems to begin another scene. Without `isThorough`, only cuts that end a followed face count.
    package var isCut = false
    /// Whether the frame is still to be searched for faces that come, by `FaceAnalyzer.search`.
    package var awaitsSearch = false
    package var ranDetector: Bool { detectionTime > .zero }
    /// The mean brightness, 0…1, of the followed faces, or of the searched region if there are none; nil if not read.
    package var luminance: Double?
    package var detectionTime = Duration.zero
    package var landmarkTime = Duration.zero
}
