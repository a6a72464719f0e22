import FaceMetadata

/// Detects faces that are only pictures: nothing in them moves by itself.
///
/// A face whose eyes are closed or that breathes may be asleep. The size of one that breathes goes to and fro by a hundredth;
/// that of one before a camera that is held in a hand does too, but then the face moves through the picture as well.
struct StillnessDetector: Sendable {
    /// The least change of the size that is taken for a breath, and within how many seconds there must be three of them: a
    /// sleeper breathes 12 to 20 times a minute, each time in and out.
    private static let breath = (change: 0.0055, turns: 3, seconds: 9.0)
    /// How far a face moves that the camera or a hand moves, as a share of its width.
    private static let shake = 0.04
    /// Over how many seconds the size, the place and whether the eyes are closed are averaged: eyes that are screwed up in a
    /// picture are taken for closed in one frame of ten, a sleeper's in nearly all.
    private static let averaging = (size: 0.3, place: 3.0, closed: 5.0)
    /// A movement counts if there was another one so many seconds before: one comparison in some thousand of a poster differs by
    /// chance, and of the people measured the quietest moves every eight seconds.
    private static let confirmation = 10.0
    /// After so many seconds without a measurement nothing is known.
    private static let longestPause = 1.0

    private var movedAt = -Double.infinity
    /// When something moved last, confirmed or not.
    private var changedAt = -Double.infinity
    private var last = -Double.infinity
    private var measuredAt = -Double.infinity
    private var closedShare = 0.0
    private var size: Double?
    private var breaths = Swings(least: breath.change, seconds: breath.seconds)
    private var place: SIMD2<Double>?
    private var shakenAt = -Double.infinity

    /// Takes the next frame in which the face was seen.
    /// - Returns: Whether it is still, given whether its eyes are known to be open.
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
