/// Detects faces that are only pictures: nothing in them moves by itself.
///
/// A face with closed eyes or that breathes may be asleep. Breath changes its size to and fro by a hundredth. So does a
/// camera that is held in a hand, but then the face also moves through the picture.
struct StillnessDetector: Sendable {
    /// The limits of breath: `turns` changes of size by at least `change` in `seconds`. Sleepers breathe 12 to 20 times
    /// a minute.
    private static let breath = (change: 0.0055, turns: 3, seconds: 9.0)
    /// The least movement, as a share of its width, of a face that the camera or a hand moves.
    private static let shake = 0.04
    /// The seconds over which size, position and closed eyes are averaged. In a picture, eyes that are screwed up are
    /// taken for closed in one frame of ten; a sleeper's are in nearly all.
    private static let averaging = (size: 0.3, place: 3.0, closed: 5.0)
    /// The seconds within which a second movement must confirm the first: of a poster, one comparison in some thousand
    /// differs by chance; the quietest of the measured people moves every eight seconds.
    private static let confirmation = 10.0
    /// The seconds without a measurement after which a face is not taken for still.
    private static let longestPause = 1.0

    private var movedAt = -Double.infinity
    /// The time of the last movement, confirmed or not.
    private var changedAt = -Double.infinity
    private var last = -Double.infinity
    private var measuredAt = -Double.infinity
    private var closedShare = 0.0
    private var size: Double?
    private var breaths = Swings(least: breath.change, seconds: breath.seconds)
    private var place: SIMD2<Double>?
    private var shakenAt = -Double.infinity

    /// Takes the next frame in which the face was seen.
    /// - Returns: Whether it is still.
    mutating func advance(areEyesOpen: Bool, _ context: FrameContext) -> Bool {
        let time = context.time
        let passed = time - last
        last = time
        closedShare += ((areEyesOpen ? 0 : 1) - closedShare) * min(1, max(0, passed) / Self.averaging.closed)
        if movesAsAWhole(context.observation.bounds, passed) { shakenAt = time }
        // Before the first frame nothing is known.
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
