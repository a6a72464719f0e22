/// What one frame, or one change of the source, brought.
public struct FaceUpdate: Equatable, Sendable {
    /// How the source is.
    public var state: StreamState
    /// Which frame this is about; nil before the first one. If `state` changed, the frame before.
    public var stamp: FrameStamp?
    /// When the frame was captured, for measuring latency; nil if the update is about no frame of its own.
    public var captured: ContinuousClock.Instant?
    /// All faces that are there, ordered by identity; none while nothing is being looked at.
    public var faces: [FaceObject]
    /// What happened, in order.
    public var events: [FaceEvent]
    /// Why some events cannot fire at the moment, after it has been so for two seconds.
    public var attention: [FaceAttention]
    /// Why something is done without a model from now on; in one update only.
    public var problem: InferenceError?
    /// How many frames there were so far, and what became of them.
    public var counts: FrameCounts
    /// The 478 landmarks of each face in this frame, as in the MediaPipe face mesh, with `Options.landmarks`.
    public var landmarks: [FaceID: [FaceLandmark]] = [:]
    /// The frame, with `Options.frames`; nil if it could not be decoded.
    public var frame: Frame?
    /// What became of the source and the options last given to `apply`.
    public var configuration = ConfigurationStatus(number: 0, outcome: .pending)

    /// Makes an update, as for a test of what a program does with them.
    public init(
        state: StreamState,
        stamp: FrameStamp? = nil,
        faces: [FaceObject] = [],
        events: [FaceEvent] = [],
        attention: [FaceAttention] = [],
        counts: FrameCounts = FrameCounts()
    ) {
        (self.state, self.stamp, self.faces, self.events) = (state, stamp, faces, events)
        self.attention = attention
        self.counts = counts
    }

    var isStreaming: Bool { if case .streaming = state { true } else { false } }
    /// Whether it is from a source that does not wait, or from none.
    var comesAtItsOwnTime: Bool { if case .streaming(let stream) = state { stream.isLive } else { true } }
    /// All that was taken for a face in this frame, also before its enter, or by the detector alone.
    package var sightings: [FaceSighting] = []
    /// Whether the frame begins another scene, before which all faces leave; with `FaceAnalyzer.Options.isThorough`.
    package var isCut = false
    /// Whether a face was not followed because there are `FaceAnalyzer.Options.maximumFaces` already.
    package var isOverLimit = false

    /// Whether a newer update can stand for this one: it says only where the faces are.
    func canBeReplaced(by newer: FaceUpdate) -> Bool {
        events.isEmpty && problem == nil && configuration == newer.configuration && state == newer.state
            && attention == newer.attention
    }
}
