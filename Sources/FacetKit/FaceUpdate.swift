/// The news of one frame, or of one change of the source.
public struct FaceUpdate: Equatable, Sendable {
    /// The state of the source.
    public var state: StreamState
    /// The frame that the update is about; nil before the first one. If `state` changed, the frame before.
    public var stamp: FrameStamp?
    /// The time at which the frame was captured, for measuring latency; nil if the update is not about a frame.
    public var captured: ContinuousClock.Instant?
    /// All faces that are there, ordered by identity; none while nothing is being looked at.
    public var faces: [FaceObject]
    /// The events, in order.
    public var events: [FaceEvent]
    /// The reasons why some events cannot fire at the moment, each after it has been true for two seconds.
    public var attention: [FaceAttention]
    /// The error because of which something is done without a model from now on; in one update only.
    public var problem: InferenceError?
    /// The number of frames so far, and of those analysed and dropped.
    public var counts: FrameCounts
    /// The 478 landmarks of each face in this frame, as in the MediaPipe face mesh; only with `Options.landmarks`.
    public var landmarks: [FaceID: [FaceLandmark]] = [:]
    /// The frame, only with `Options.frames`; nil if it could not be decoded.
    public var frame: Frame?
    /// The outcome of the source and the options last given to `apply`.
    public var configuration = ConfigurationStatus(number: 0, outcome: .pending)

    /// Makes an update, for tests of a program that takes updates.
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
    /// Whether the update is from a source that does not wait for its consumer, or from none.
    var comesAtItsOwnTime: Bool { if case .streaming(let stream) = state { stream.isLive } else { true } }
    /// All that was taken for a face in this frame, also before its enter, or by the detector alone.
    package var sightings: [FaceSighting] = []
    /// Whether the frame begins another scene, before which all faces leave; with `FaceAnalyzer.Options.isThorough`.
    package var isCut = false
    /// Whether a face was not followed because there are `FaceAnalyzer.Options.maximumFaces` already.
    package var isOverLimit = false

    /// Whether a newer update can replace this one, because this one only says where the faces are.
    func canBeReplaced(by newer: FaceUpdate) -> Bool {
        events.isEmpty && problem == nil && configuration == newer.configuration && state == newer.state
            && attention == newer.attention
    }
}
