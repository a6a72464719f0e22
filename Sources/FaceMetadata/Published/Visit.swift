/// The totals of one visit: a face from its enter to its leave. A person who comes back makes another visit.
public struct Visit: Hashable, Sendable {
    /// The number of `smile` events.
    public var smiles = 0
    /// The number of `blink` events, including those of one eye.
    public var blinks = 0
    /// The number of `look` events.
    public var looks = 0
    /// The total duration, in seconds, of the smiles that have ended.
    public var smilingSeconds = 0.0
    /// The total duration, in seconds, of the looks that have ended.
    public var lookingSeconds = 0.0
    /// The total time, in seconds, for which the face was held without being seen.
    public var unseen = 0.0
    /// The smallest distance from the camera, in metres; nil if the distance was never known.
    public var nearestDistance: Double?
    /// The largest height of the face's bounds, as a fraction of the picture's height.
    public var largestHeight = 0.0
    /// The fraction, 0…1, of the measured frames in which the face was large and frontal enough to read its expression.
    public var judgedShare = 0.0

    /// Makes a visit in which nothing has happened.
    public init() {}

    /// Adds an event to the totals.
    package mutating func add(_ kind: FaceEvent.Kind) {
        switch kind {
        case .smile: smiles += 1
        case .blink: blinks += 1
        case .look: looks += 1
        case .smileEnd(let duration, _): smilingSeconds += duration
        case .lookAway(let duration): lookingSeconds += duration
        case .enter, .leave, .eyesClosed, .eyesOpen, .mouthOpen, .zoneEnter, .zoneLeave, .sign: break
        }
    }
}
