import FaceMetadata

/// Tells blinks from the openness of two eyes.
///
/// Each eye is measured against its own open level, because eyes differ more from person to person than many of them
/// move: what counts is the share of that level. A blink is a dip of both below a share of a little more than a half, and
/// back within half a second.
struct BlinkDetector {
    /// The levels and times of a blink.
    struct Parameters: Hashable, Sendable {
        /// Eyes whose openness falls below this share of the open level are closed.
        var closedShare = 0.55
        /// Closed eyes whose openness rises above this share are open again.
        var openShare = 0.65
        /// While the one eye is closed, an openness of the other above this share makes it a wink.
        var winkShare = 0.85
        /// A dip that stays above this share of the open level is a glance down or a squint.
        var deepShare = 0.5
        /// Eyes that were closed also count as open again when they have made up this part of the dip: many blinks end in
        /// a squint.
        var recovery = 0.33
        /// A rise by no more than this share from one frame to the next is a stop.
        var plateau = 0.02
        /// Eyes that stay below this share are closed rather than lowered.
        var shutShare = 0.4
        /// A shorter closure, in seconds, is a glitch of the landmarks.
        var shortest = 0.05
        /// A longer closure, in seconds, is no blink but closed eyes.
        var longest = 0.5
        /// Below this rate, in analysed frames per second, a blink can fall between two frames.
        ///
        /// It stands for 15, the rate of many webcams in dim light: one lost frame makes the meter show 13.6 for them.
        var minimumRate = 13.5
        /// Below this rate even eyes that stay closed are seen in too few frames; it stands for 5 in the same way.
        var minimumClosureRate = 4.5
        /// A wide-open eye is never taken for less open than this (eye aspect ratio), so that eyes that are closed when
        /// the face comes are seen as closed.
        var lowestOpenLevel = 0.17
        /// How many observations the open level is taken from: about four seconds.
        var levelWindow = 120
        /// How many observations must have been made before a dip counts.
        var warmUp = 6
    }

    /// What a frame brought.
    struct Output: Hashable, Sendable {
        /// A blink that ended or closed eyes that stay closed.
        var event: FaceEvent.Kind?
        /// Whether the eye at the picture's left is closed; nil if it cannot be told.
        var leftClosed: Bool?
        /// Whether the eye at the picture's right is closed; nil if it cannot be told.
        var rightClosed: Bool?
    }

    /// Eyes that have been below the level of open ones for a while.
    private struct Closure {
        var since: Double
        var deepest: (left: Double, right: Double)
        var last: Double
    }

    private let parameters: Parameters
    private var leftLevel: RunningQuantile
    private var rightLevel: RunningQuantile
    private var closure: Closure?
    /// Whether closed eyes were told and have not been seen open since: true over a break in which they were not seen,
    /// so that they are not told again.
    private var isTold = false
    /// How open the eyes count as: 1, but less while they squint after a blink.
    private var reference = 1.0
    private var isLeftClosed = false
    private var isRightClosed = false

    init(_ parameters: Parameters = Parameters()) {
        self.parameters = parameters
        // The upper middle: above the half-open frames of blinks and glances, below the wide-open ones of surprise.
        let level = RunningQuantile(0.7, ofLatest: parameters.levelWindow, in: 0...0.6)
        leftLevel = level
        rightLevel = level
    }

    /// Takes the next frame's openness of both eyes (eye aspect ratios) at a time in seconds.
    mutating func advance(left: Double, right: Double, at time: Double, frameRate: Double) -> Output {
        let each = (
            left: left / max(leftLevel.value ?? left, parameters.lowestOpenLevel),
            right: right / max(rightLevel.value ?? right, parameters.lowestOpenLevel)
        )
        let isWarm = leftLevel.count >= parameters.warmUp
        if closure == nil {
            leftLevel.insert(left)
            rightLevel.insert(right)
        }
        var output = Output()
        if isWarm, frameRate >= parameters.minimumClosureRate {
            output.event = closure == nil ? begin(each, at: time) : goOn(each, at: time, frameRate: frameRate)
        } else {
            closure = nil
        }
        isLeftClosed = each.left < (isLeftClosed ? parameters.openShare : parameters.shutShare)
        isRightClosed = each.right < (isRightClosed ? parameters.openShare : parameters.shutShare)
        output.leftClosed = isLeftClosed
        output.rightClosed = isRightClosed
        return output
    }

    /// Forgets a closure under way, but not that it was told: the eyes could not be seen for a while.
    mutating func interrupt() {
        closure = nil
        reference = 1
    }

    /// Opens a closure if the eyes, or one of them, have gone down.
    private mutating func begin(_ each: (left: Double, right: Double), at time: Double) -> FaceEvent.Kind? {
        let share = (each.left + each.right) / 2
        reference = min(1, max(reference, share))
        let isWink =
            min(each.left, each.right) < parameters.shutShare && max(each.left, each.right) > parameters.winkShare
        if share < parameters.closedShare * reference || isWink {
            closure = Closure(since: time, deepest: each, last: share)
        } else if share > parameters.openShare * reference {
            isTold = false
        }
        return nil
    }

    /// Follows a closure, and ends it when the eyes are open again or turn out to be lowered only.
    private mutating func goOn(
        _ each: (left: Double, right: Double),
        at time: Double,
        frameRate: Double
    ) -> FaceEvent.Kind? {
        guard var current = closure else { return nil }
        current.deepest = (min(current.deepest.left, each.left), min(current.deepest.right, each.right))
        let eyes = eyes(current.deepest)
        let (share, deepest) = (eyes.mean(each), eyes.mean(current.deepest))
        let duration = time - current.since
        defer { if closure != nil { closure = current } }
        if isOpen(share, after: current.last, deepest: deepest) {
            let isBlink =
                !isTold && frameRate >= parameters.minimumRate && deepest <= parameters.deepShare * reference
                && duration >= parameters.shortest && duration <= parameters.longest
            endClosure(at: share)
            return isBlink ? .blink(eyes: eyes, duration: duration) : nil
        }
        current.last = share
        guard duration > parameters.longest, !isTold else { return nil }
        guard share < parameters.shutShare else {
            endClosure(at: share)
            return nil
        }
        isTold = true
        return .eyesClosed(eyes: eyes, duration: duration)
    }

    /// Whether eyes that were closed are open, or have stopped on the way there.
    private func isOpen(_ share: Double, after last: Double, deepest: Double) -> Bool {
        if share > parameters.openShare * reference { return true }
        return share > deepest + parameters.recovery * (reference - deepest) && share <= last + parameters.plateau
    }

    private mutating func endClosure(at share: Double) {
        closure = nil
        isTold = false
        reference = min(1, share > parameters.openShare ? 1 : share)
    }

    private func eyes(_ deepest: (left: Double, right: Double)) -> FaceEvent.Eyes {
        if deepest.right > parameters.winkShare { return .left }
        if deepest.left > parameters.winkShare { return .right }
        return .both
    }
}

extension FaceEvent.Eyes {
    /// The mean over these eyes.
    fileprivate func mean(_ each: (left: Double, right: Double)) -> Double {
        switch self {
        case .both: (each.left + each.right) / 2
        case .left: each.left
        case .right: each.right
        }
    }
}
