/// Detects blinks and closed eyes of one face, and counts them over the last minute.
struct EyeDetector: Sendable {
    /// The rate of analysed frames per second below which closed eyes are seen in too few frames: 5, minus 10 % in case
    /// a frame is lost.
    private static let minimumClosureRate = 4.5

    /// Whether the eyes are open far enough for their irises to be seen.
    private(set) var areOpen = false
    /// Which eyes are closed, and how far each is open as a fraction of its usual openness.
    typealias Seen = (isClosed: EachEye<Bool>, openness: EachEye<Double>)

    /// The state of the eyes in the latest frame; nil if they cannot be judged.
    private(set) var seen: Seen?
    /// The blinks per minute and the fraction of time with closed eyes, of the last minute; nil if they are unknown.
    private(set) var figures: (blinks: Double, closedShare: Double)?
    var closed = ClosedEyes()
    private var openness = EyeOpenness()
    private var appearance = EyeAppearance()
    private var blink = BlinkDetector()
    private var lastMinute = LastMinute()

    /// Processes the next frame in which the face was seen. Blinks are detected on smaller and more turned faces than
    /// closed eyes.
    /// - Returns: A blink that ended about 0.1 s ago, and the beginning or end of closed eyes that outlast a blink.
    mutating func advance(_ context: FrameContext) -> (blink: BlinkDetector.Blink?, closure: FaceEvent.Kind?) {
        let time = context.time
        let open = openness.advance(EachEye(context.observation.leftLids, context.observation.rightLids), at: time)
        let signal = context.observation.eyePatches.map { appearance.advance($0, open.share) }
        let reading = BlinkDetector.Reading(openness: open, appearance: signal, canWink: context.canWink)
        areOpen = open.areOpen
        let happened = blink.advance(reading, context)
        guard context.isVisible, context.frameRate >= Self.minimumClosureRate else {
            closed.interrupt(at: time)
            seen = nil
            figures = nil
            lastMinute.advance(isClosed: nil, blinks: 0, at: time)
            return (happened, nil)
        }
        let closure = closed.advance(open, canBeOneEye: context.canWink, at: time)
        seen = (closed.isClosed, open.share)
        let areClosed = closed.isClosed == EachEye(true, true)
        lastMinute.advance(isClosed: context.seesBlinks ? areClosed : nil, blinks: happened == nil ? 0 : 1, at: time)
        figures = context.seesBlinks ? lastMinute.figures : nil
        return (happened, closure)
    }
}

/// Measures a face's blink rate and its fraction of time with closed eyes, while its eyes were seen in the last minute.
struct LastMinute: Sendable {
    /// The minimum time for which the eyes must have been seen during the minute, in seconds.
    private static let leastSeen = 30.0

    private struct Second {
        var seen = 0.0
        var closed = 0.0
        var blinks = 0.0
    }

    /// How long the eyes were seen and closed, and the blinks, in each of the last 60 seconds (media time modulo 60).
    private var seconds = Array(repeating: Second(), count: 60)
    private var latest: (time: Double, isSeen: Bool)?

    /// Processes a frame at `time`, in seconds, in which `blinks` were completed; `isClosed` is nil for unknown eyes.
    mutating func advance(isClosed: Bool?, blinks: Double, at time: Double) {
        defer { latest = (time, isClosed != nil) }
        guard let latest, time >= latest.time else {
            seconds = Array(repeating: Second(), count: 60)
            return
        }
        let now = Int(time)
        for second in max(Int(latest.time), now - 60)..<now { seconds[(second + 1) % 60] = Second() }
        seconds[now % 60].blinks += blinks
        guard let isClosed, latest.isSeen, time - latest.time <= Track.bridgedGap else { return }
        seconds[now % 60].seen += time - latest.time
        if isClosed { seconds[now % 60].closed += time - latest.time }
    }

    /// The blinks per minute, and the fraction of time with closed eyes, 0…1; nil before the eyes were seen enough.
    var figures: (blinks: Double, closedShare: Double)? {
        func sum(_ value: (Second) -> Double) -> Double { seconds.reduce(0) { $0 + value($1) } }
        let seen = sum(\.seen)
        return seen >= Self.leastSeen ? (sum(\.blinks) * 60 / seen, sum(\.closed) / seen) : nil
    }
}
