/// The totals of a face since its enter: one visit to the camera. A person who comes back makes another visit.
public struct Visit: Hashable, Sendable {
    /// The number of its `smile` events.
    public var smiles = 0
    /// The number of its `blink` events, those of one eye included.
    public var blinks = 0
    /// The number of its `look` events.
    public var looks = 0
    /// The seconds for which it smiled: the durations of its smiles that have ended.
    public var smilingSeconds = 0.0
    /// Seconds for which it looked at the camera or the thing beside it: the durations of its looks that have ended.
    public var lookingSeconds = 0.0
    /// The seconds for which it was held without being seen.
    public var unseen = 0.0
    /// The smallest distance, in metres; nil if none was known.
    public var nearestDistance: Double?
    /// The largest height of its bounds, as a share of the picture's height.
    public var largestHeight = 0.0
    /// The share of the frames it was measured in that showed its expression, 0…1: it was large and frontal enough.
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
