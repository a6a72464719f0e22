import FaceMetadata

/// What the lips do, apart from smiles: how far they are apart, whether they stay so, and whether they move as in speech.
///
/// The constants were chosen on the recorded landmarks, see docs/accuracy.md.
struct MouthDetector: Sendable {
    /// A mouth that has been open by more than this for so many seconds is reported, and again once it was open by less than
    /// the lower limit: in speech none is.
    private static let wide = (opening: 0.3, end: 0.21, seconds: 0.5)
    /// A movement of the lips between two turns counts as one from this change of their opening on, in units.
    static let smallestSwing = 0.03
    /// So many movements within this time, in seconds, begin talk, and fewer than the lower number end it.
    static let talk = (begin: 5, end: 2, window: 2.0)

    /// How far the lips are apart, 0…1; nil if the mouth cannot be seen.
    private(set) var opening: Double?
    /// Whether the lips move as in speech; nil if that is unknown.
    private(set) var isTalking: Bool?
    private var last: Double?
    /// Since when the mouth has been seen without a break.
    private var seenSince = 0.0
    /// Since when it has been wide open, and whether that was reported.
    private var wideSince: Double?
    private var isReported = false
    private var swings = Swings(least: smallestSwing, seconds: talk.window)
    /// What lasts and was reported; nil for nothing.
    var ongoing: FaceEvent.Kind? { isReported ? .mouthOpen : nil }

    /// Takes the lips' opening in the next frame in which the face was seen.
    /// - Returns: What happened.
    mutating func advance(_ units: Double, _ context: FrameContext) -> FaceEvent.Kind? {
        let time = context.time
        guard context.isVisible else {
            opening = nil
            isTalking = nil
            last = nil
            wideSince = nil
            return nil
        }
        opening = min(max(units / FaceObject.widestMouth, 0), 1)
        let gap = last.map { time - $0 } ?? .infinity
        if !Track.bridges(gap) {
            if gap > Self.talk.window { isTalking = nil }
            seenSince = time
            wideSince = nil
            swings.begin(with: units)
        }
        last = time
        swings.add(units, at: time)
        let isMoving = swings.count >= (isTalking == true ? Self.talk.end : Self.talk.begin)
        if isMoving || time - seenSince >= Self.talk.window - Track.slack { isTalking = isMoving }
        if !context.seesBlinks { isTalking = nil }
        if units < Self.wide.end { isReported = false }
        wideSince = units > Self.wide.opening ? wideSince ?? time : nil
        guard !isReported, let wideSince, time - wideSince >= Self.wide.seconds - Track.slack else { return nil }
        isReported = true
        return ongoing
    }
}
