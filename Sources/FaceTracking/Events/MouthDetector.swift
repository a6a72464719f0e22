/// Measures how far the mouth is open, and detects talk and a mouth that stays wide open.
/// The constants were chosen on recorded landmarks, as docs/accuracy.md explains.
struct MouthDetector: Sendable {
    /// The limits of a wide open mouth. It is reported once the lips were more than `opening` apart for `seconds`, and
    /// again only after they were less than `end` apart. Both are in units of the outer eye corners' distance.
    private static let wide = (opening: 0.3, end: 0.21, seconds: 0.5)
    /// The minimum change of the lips' opening that is a movement, in units of the outer eye corners' distance.
    static let smallestSwing = 0.03
    /// The limits of talk: it begins with `begin` lip movements in `window` seconds, and ends with fewer than `end`.
    static let talk = (begin: 5, end: 2, window: 2.0)

    /// How far the mouth is open, 0…1; nil if the mouth cannot be seen.
    private(set) var opening: Double?
    /// Whether the lips move as in speech; nil if that is unknown.
    private(set) var isTalking: Bool?
    private var last: Double?
    /// The time since which the mouth has been seen without a break.
    private var seenSince = 0.0
    private var wideSince: Double?
    private var isReported = false
    private var swings = Swings(least: smallestSwing, seconds: talk.window)
    var ongoing: FaceEvent.Kind? { isReported ? .mouthOpen : nil }

    /// Processes the lips' opening, in units of the outer eye corners' distance, in the next frame with the face.
    /// - Returns: The event of an open mouth once it has been wide open for long enough, or nil.
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
        if !Track.bridges(from: last, to: time) {
            if let last, time - last > Self.talk.window { isTalking = nil }
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
