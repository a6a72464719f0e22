import Glibc

/// Detects the beginning and the end of looks: near, facing, and held for a moment (docs/accuracy.md says how well).
struct LookDetector: Sendable {
    /// The factor by which cone and distance are larger during a look, so that it does not flicker at their edge.
    private static let hysteresis = 1.25

    /// The state of a face's eyes in a frame.
    enum Eyes: Hashable, Sendable {
        /// The eyes are open and look in this direction.
        case open(Gaze)
        /// The eyes are closed, or lowered so far that their irises are hidden.
        case closed
        /// The eyes are too small to be judged.
        case unknown
    }

    /// Whether a look has begun and not ended; nil if that is unknown.
    private(set) var isLooking: Bool?
    /// The times at which the gaze came to the target and was last there.
    private var onTarget: (since: Double, last: Double)?
    /// The time since which it is known whether the face looks.
    private var knownSince: Double?
    /// The time at which the eyes were last seen open.
    private var lastOpen: Double?
    /// The time of the face's enter, before which no look is counted: no look is longer than its visit.
    var visitBegan = -Double.infinity

    /// Takes the eyes in the next frame in which the face was seen; `distance` is in metres, `time` in seconds.
    /// - Returns: A look that began or ended.
    mutating func advance(
        _ eyes: Eyes,
        distance: Double?,
        at time: Double,
        _ settings: LookSettings
    ) -> FaceEvent.Kind? {
        // A blink is no look-away; eyes that are not seen for longer look at nothing.
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

    /// Takes a frame in which the face does not look at the target, or in which that has been unknown for a while.
    private mutating func leaveTarget(at time: Double, _ settings: LookSettings) -> FaceEvent.Kind? {
        if isLooking == true {
            let last = onTarget?.last ?? time
            return time - last >= settings.release - Track.slack ? end() : nil
        }
        onTarget = nil
        // A face that has just come may be about to look.
        if let knownSince, time - knownSince >= settings.hold - Track.slack { isLooking = false }
        return nil
    }
}

/// Derives the steadied gaze, the distance and the looks of one face.
struct GazeDetector: Sendable {
    /// The width of an iris in metres: 11.7 ± 0.5 mm in nearly all people, the figure that MediaPipe Iris uses too.
    private static let irisWidth = 0.0117
    /// The pixels between the outer eye corners below which an iris has less than four, and the distance is unknown.
    private static let smallestEyeDistance = 30.0
    /// The yaw to either side, in degrees, beyond which an iris looks narrower than it is.
    private static let yawLimit = 25.0
    /// The seconds over which the distance is averaged, because squints and lids change the width of an iris by a
    /// tenth, and for which it is kept once it cannot be measured.
    private static let distanceWindow = 1.0

    /// The steadied direction in which the face looks; nil if it is unknown.
    private(set) var gaze: Gaze?
    /// The metres from the camera to the eyes; nil if they are unknown.
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
