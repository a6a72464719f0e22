/// Detects faces that are only pictures of faces, because nothing in them moves by itself. A face with closed eyes, or
/// one that breathes, may be asleep and is not taken for a picture. Breathing makes a face 1 % larger and smaller. So
/// does a hand-held camera, but then the face also moves within the frame.
struct StillnessDetector: Sendable {
    /// The minimum that counts as breathing: `turns` reversals of the face's size within `seconds`, each after a change
    /// by the fraction `change`. Sleepers take 12 to 20 breaths a minute.
    private static let breath = (change: 0.0055, turns: 3, seconds: 9.0)
    /// The minimum distance of a face from its mean position, as a fraction of its size, that shows a moving camera.
    private static let shake = 0.04
    /// The time constants, in seconds, for averaging size, position and closed eyes. Averaging tells a sleeper's
    /// eyes, closed in nearly all frames, from screwed-up eyes on a poster, taken for closed in one frame of ten.
    private static let averaging = (size: 0.3, place: 3.0, closed: 5.0)
    /// The maximum time, in seconds, between a movement and a second one that confirms it. A poster seems to move by
    /// chance in one comparison of several thousand. The quietest of the measured people moves every eight seconds.
    private static let confirmation = 10.0
    /// How long a face may go without a measurement, in seconds, before its time of stillness restarts at zero.
    private static let longestPause = 1.0

    private var movedAt = -Double.infinity
    /// The time of the last movement, even if no second movement has confirmed it yet.
    private var changedAt = -Double.infinity
    private var last = -Double.infinity
    private var measuredAt = -Double.infinity
    private var closedShare = 0.0
    private var size: Double?
    private var breaths = Swings(least: breath.change, seconds: breath.seconds)
    private var place: SIMD2<Double>?
    private var shakenAt = -Double.infinity

    /// Processes the next frame in which the face was seen; returns whether it has been still for `stillAfter` seconds.
    mutating func advance(areEyesOpen: Bool, _ context: FrameContext) -> Bool {
        let time = context.time
        let passed = time - last
        last = time
        closedShare += ((areEyesOpen ? 0 : 1) - closedShare) * min(1, max(0, passed) / Self.averaging.closed)
        if movesAsAWhole(context.observation.bounds, passed) { shakenAt = time }
        // The first frame, or one after a step back in time, counts as a movement.
        var hasMoved = closedShare > 0.5 || !(0..<Double.infinity).contains(passed)
        if let motion = context.observation.ownMotion {
            hasMoved = breathes(motion, at: time) || hasMoved
            if motion == .movement {
                hasMoved = hasMoved || (0...Self.confirmation).contains(time - changedAt)
                changedAt = time
            }
            measuredAt = time
        }
        if hasMoved || !(0...Self.longestPause).contains(time - measuredAt) { movedAt = time }
        return time - movedAt >= context.options.stillAfter - Track.slack
    }

    private mutating func movesAsAWhole(_ bounds: NormalizedRect, _ passed: Double) -> Bool {
        let before = place ?? bounds.center.vector
        let way = bounds.center.vector - before
        place = before + min(1, max(0, passed) / Self.averaging.place) * way
        return abs(way.x) > Self.shake * bounds.width || abs(way.y) > Self.shake * bounds.height
    }

    private mutating func breathes(_ motion: FaceObservation.OwnMotion, at time: Double) -> Bool {
        guard case .rest(let new) = motion, let before = size else {
            size = motion.size
            breaths.begin(with: size ?? 1)
            return false
        }
        let average = before + min(1, (time - measuredAt) / Self.averaging.size) * (new - before)
        size = average
        breaths.add(average, at: time)
        return breaths.count >= Self.breath.turns && time - shakenAt > Self.breath.seconds
    }
}
