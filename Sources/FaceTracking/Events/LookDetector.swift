import Glibc

/// Detects when one face begins or ceases to look at a target. A face looks at the target if it is near enough and its
/// gaze stays within a cone for a moment. docs/accuracy.md says how reliable this is.
struct LookDetector: Sendable {
    /// The factor by which the limits of cone and distance widen while a gaze is within them, to avoid flicker.
    private static let hysteresis = 1.25

    enum Eyes: Hashable, Sendable {
        /// The eyes are open and look in the given direction.
        case open(Gaze)
        /// The eyes are closed, or lowered so far that their irises are hidden.
        case closed
        /// The gaze is unknown, for example because the eyes are too small.
        case unknown
    }

    /// Whether the face looks at the target (`LookSettings.direction`); nil if that is unknown.
    private(set) var isLooking: Bool?
    /// The times at which the gaze reached the target and was last seen on it; nil while the gaze is elsewhere.
    private var onTarget: (since: Double, last: Double)?
    /// The time at which the state of the eyes became known; nil once it was unknown for longer than a blink.
    private var knownSince: Double?
    private var lastOpen: Double?
    /// The time at which the face's visit began, with its `enter` event. No look is reported as longer than the visit.
    var visitBegan = -Double.infinity

    /// Processes the eyes in the next frame in which the face was seen; `distance` is in metres, `time` in seconds.
    /// - Returns: The beginning or the end of a look, or nil.
    mutating func advance(
        _ eyes: Eyes,
        distance: Double?,
        at time: Double,
        _ settings: LookSettings
    ) -> FaceEvent.Kind? {
        // A blink does not end a look. Eyes that are closed or unknown for longer are not on the target.
        let isLong = lastOpen.map { time - $0 > FaceEvent.longestBlink } ?? true
        let ended = isLong ? leaveTarget(at: time, settings) : nil
        if eyes != .unknown {
            knownSince = knownSince ?? time
        } else if isLong, isLooking != true {
            isLooking = nil
            knownSince = nil
        }
        guard case .open(let gaze) = eyes else { return ended }
        lastOpen = time
        let factor = onTarget == nil ? 1 : Self.hysteresis
        let isNear = settings.near.map { near in distance.map { $0 <= near * factor } ?? false } ?? true
        guard isNear, gaze.angle(to: settings.direction) <= settings.cone / 2 * factor else {
            return ended ?? leaveTarget(at: time, settings)
        }
        let since = onTarget?.since ?? time
        onTarget = (since, time)
        guard ended == nil, isLooking != true, time - since >= settings.hold - Track.slack else { return ended }
        isLooking = true
        return .look
    }

    var ongoing: FaceEvent.Kind? { isLooking == true ? .look : nil }

    mutating func end() -> FaceEvent.Kind? {
        let target = exchange(&onTarget, with: nil)
        guard exchange(&isLooking, with: false) == true, let target else { return nil }
        return .lookAway(duration: max(0, target.last - max(target.since, visitBegan)))
    }

    /// Processes a frame in which the gaze is off the target, or has been unknown for longer than a blink.
    private mutating func leaveTarget(at time: Double, _ settings: LookSettings) -> FaceEvent.Kind? {
        if isLooking == true {
            let last = onTarget?.last ?? time
            return time - last >= settings.release - Track.slack ? end() : nil
        }
        onTarget = nil
        // Before that, a face may be about to look.
        if let knownSince, time - knownSince >= settings.hold - Track.slack { isLooking = false }
        return nil
    }
}

/// Measures the smoothed gaze and the distance of one face, and detects its looks.
struct GazeDetector: Sendable {
    /// The width of an iris, in metres: 11.7 ± 0.5 mm in nearly all people, the value that MediaPipe Iris uses too.
    private static let irisWidth = 0.0117
    /// The minimum pixels between the outer eye corners to measure how far the face is; irises are then 4 pixels wide.
    private static let smallestEyeDistance = 30.0
    /// The maximum yaw to either side, in degrees, to measure how far the face is. Beyond it, irises look narrower.
    private static let yawLimit = 25.0
    /// The time constant, in seconds, for averaging the distance from the camera to the face. A single measurement is
    /// wrong by a tenth if squints or lids change an iris's width. Without measurements, the average is kept this long.
    private static let distanceWindow = 1.0

    /// The smoothed direction in which the face looks; nil if it is unknown.
    private(set) var gaze: Gaze?
    /// The average distance from the camera to the eyes, in metres; nil if it is unknown.
    private(set) var distance: Double?
    private var filter = OneEuroFilter<SIMD2<Double>>(speedCoefficient: ObservationSmoother.angleCoefficient)
    private var gazeTime = 0.0
    private var distanceTime = 0.0
    var look = LookDetector()

    mutating func advance(areEyesOpen: Bool, _ context: FrameContext) -> FaceEvent.Kind? {
        let time = context.time
        let raw = context.eyeDistance >= context.options.smallestEyeDistance ? context.observation.gaze : nil
        var eyes = raw == nil ? LookDetector.Eyes.unknown : .closed
        if areEyesOpen, let raw {
            let interval = gaze == nil ? 0 : time - gazeTime
            let angles = filter.filter(SIMD2(raw.yaw, raw.pitch), interval: interval)
            let steady = Gaze(yaw: angles.x, pitch: angles.y)
            gaze = steady
            gazeTime = time
            eyes = .open(steady)
        } else if time - gazeTime > FaceEvent.longestBlink {
            gaze = nil
        }
        measureDistance(areEyesOpen ? context.observation.irisDiameter : nil, context)
        return look.advance(eyes, distance: distance, at: time, context.options.look)
    }

    private mutating func measureDistance(_ irisDiameter: Double?, _ context: FrameContext) {
        let time = context.time
        guard let irisDiameter, irisDiameter > 0, context.eyeDistance >= Self.smallestEyeDistance,
            abs(context.yaw) <= Self.yawLimit
        else {
            if time - distanceTime > Self.distanceWindow { distance = nil }
            return
        }
        let measured = Self.irisWidth / (2 * tan(context.options.fieldOfView / 2 * .pi / 180) * irisDiameter)
        let share = 1 - exp(-max(0, time - distanceTime) / Self.distanceWindow)
        distance = distance.map { $0 + share * (measured - $0) } ?? measured
        distanceTime = time
    }
}
