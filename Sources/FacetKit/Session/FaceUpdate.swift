/// The report on one frame, or on one change of the source or its configuration.
public struct FaceUpdate: Equatable, Sendable {
    /// The state of the source.
    public var state: StreamState
    /// The frame that the update is about, or the last frame before a change of the source; nil before the first frame.
    public var stamp: FrameStamp?
    /// The time at which the frame was captured, for measuring latency; nil if the update is not about a frame.
    public var captured: ContinuousClock.Instant?
    /// All present faces, ordered by identity; empty while no frames are analysed.
    public var faces: [FaceObject]
    /// The events that the update reports, in their order.
    public var events: [FaceEvent]
    /// The reasons why some events cannot be detected at the moment, once they have not changed for two seconds.
    public var attention: [FaceAttention]
    /// The error that made a model unusable. The analysis goes on without that model. Set in one update only.
    public var problem: InferenceError?
    /// The numbers of frames so far, over all runs: captured, analysed and dropped.
    public var counts: FrameCounts
    /// The 478 landmarks of each face in this frame, as in the MediaPipe face mesh; only with `Options.landmarks`.
    public var landmarks: [FaceID: [FaceLandmark]] = [:]
    /// The frame, only with `Options.frames`; nil if it could not be decoded.
    public var frame: Frame?
    /// The outcome of the newest configuration, which is the source and the options that the session was last given.
    public var configuration = ConfigurationStatus(number: 0, outcome: .pending)

    /// Makes an update, for testing a program that reads updates.
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
    /// Whether the source does not wait for the reader of the updates; also true while it is not streaming.
    var comesAtItsOwnTime: Bool { if case .streaming(let stream) = state { stream.isLive } else { true } }
    /// All possible faces in this frame: present faces, faces that have not entered yet, and unconfirmed detections.
    package var sightings: [FaceSighting] = []
    /// Whether the frame begins another scene, so that all faces left; only with `FaceAnalyzer.Options.isThorough`.
    package var isCut = false
    /// Whether only small or only large faces were searched for in the frame, so that `sightings` may lack others.
    package var isPartlySearched = false
    /// Whether a face is not followed because the maximum, `FaceAnalyzer.Options.maximumFaces`, is reached.
    package var isOverLimit = false

    /// Whether a newer update can replace this one, because this one only says where the faces are.
    func canBeReplaced(by newer: FaceUpdate) -> Bool {
        events.isEmpty && problem == nil && configuration == newer.configuration && state == newer.state
            && attention == newer.attention
    }
}
