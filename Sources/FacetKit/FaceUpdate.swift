public import FaceInference
public import FaceMetadata
package import FaceTracking
public import Frames
import System

/// What one frame, or one change of the source, brought.
public struct FaceUpdate: Equatable, Sendable {
    /// How the source is.
    public var state: StreamState

    /// Which frame this is about, and when it was captured; nil before the first one. If `state` changed, the frame before.
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

    /// The 478 landmarks of each face that is seen in this frame, with `Options.landmarks`; indices as in the MediaPipe face mesh.
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
        self.state = state
        self.stamp = stamp
        self.faces = faces
        self.events = events
        self.attention = attention
        self.counts = counts
    }

    var isStreaming: Bool { if case .streaming = state { true } else { false } }

    /// Whether it is from a source that does not wait, or from none.
    var comesAtItsOwnTime: Bool { if case .streaming(let stream) = state { stream.isLive } else { true } }

    /// All that was taken for a face in this very frame, from its first sighting on: before the enter, and what the detector
    /// alone believes in.
    package var sightings: [FaceSighting] = []

    /// Whether the frame begins another scene, with which all faces of the one before leave; only with
    /// `FaceAnalyzer.Options.isThorough`.
    package var isCut = false

    /// Whether a face was not followed because there are `FaceAnalyzer.Options.maximumFaces` already.
    package var isOverLimit = false

    /// Whether a newer update can stand for this one: it says only where the faces are.
    func canBeReplaced(by newer: FaceUpdate) -> Bool {
        events.isEmpty && problem == nil && configuration == newer.configuration && state == newer.state
            && attention == newer.attention
    }
}

/// What became of the source and the options that a session was given last.
public struct ConfigurationStatus: Hashable, Sendable {
    /// 0 for those that the session was made with, one more for each `apply`, which returns it.
    public var number: Int

    /// What became of them.
    public var outcome: Outcome

    /// What can become of a source and options.
    public enum Outcome: Hashable, Sendable {
        /// They were not tried yet.
        case pending
        /// The session works with them. Those that came while it was paused, or that wait for a camera, may still be rejected
        /// when they are tried with it.
        case inEffect
        /// They do not work, for this reason; the session continues with those that did.
        case rejected(FaceSessionError)
    }
}

/// How the source of a session is.
public enum StreamState: Hashable, Sendable {
    /// It is being opened.
    case starting
    /// Frames come.
    case streaming(StreamDescription)
    /// No frames; the session keeps trying.
    case lost(SourceFailure)
    /// The session is paused, and the camera closed.
    case paused
    /// The clip has ended, the session was stopped, or it failed.
    case ended
}

/// How many frames there were, and what became of them.
public struct FrameCounts: Hashable, Sendable {
    /// Frames the source got hold of, damaged ones too.
    public var captured = 0
    /// Frames in which faces were looked for.
    public var analysed = 0
    /// Frames that were not, by reason.
    public var dropped: [FrameMailbox.Drop: Int] = [:]
    /// Updates without news that a newer one replaced before the reader of `FaceSession.updates` took them.
    public var replacedUpdates = 0
    /// Updates that were dropped with what they said, because so many waited for their reader.
    public var droppedUpdates = 0

    /// Makes counts of 0.
    public init() {}
}

/// Why a session cannot start or continue; the text says what was tried, why it failed and what to do.
public enum FaceSessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The camera, clip or stream cannot be used.
    case source(SourceFailure)
    /// The models or the LiteRT library cannot be used.
    case inference(InferenceError)
    /// The JPEG decoder cannot be made.
    case decoder(reason: String)
    /// The system has no thread left.
    case thread(reason: String)
    /// A number given by the program cannot be used.
    case unusable(option: String, value: String, allowed: String)
    /// The session runs already, on another thread or for another `updates`.
    case alreadyRunning

    /// One paragraph for people.
    public var description: String {
        switch self {
        case .source(let failure): failure.description
        case .inference(let error): error.description
        case .decoder(let reason): "cannot decode JPEG: \(reason)"
        case .thread(let reason): reason
        case .unusable(let option, let value, let allowed): "cannot use the \(option) \(value): it must be \(allowed)"
        case .alreadyRunning: "this session runs already; make another one, or stop the first"
        }
    }
}

extension FaceSessionError {
    static func thread(_ error: ThreadError) -> Self { .thread(reason: error.description) }
}

/// Runs what fails with an error of another module, which is wrapped.
func failing<Result, Failure: Error>(
    as wrap: (Failure) -> FaceSessionError,
    _ body: () throws(Failure) -> Result
) throws(FaceSessionError) -> Result {
    do throws(Failure) { return try body() } catch { throw wrap(error) }
}
