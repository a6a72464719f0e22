import FaceMetadata

/// One followed face: from its first observation, through enter, to its leave.
struct Track: Sendable {
    /// Half a millisecond: three frames at 30 per second are 0.1 s but for rounding.
    static let slack = 0.0005

    /// A gap no longer than this, in seconds, is bridged: a frame or a few that were lost or blurred within a blink.
    static let bridgedGap = 0.15

    /// Which of all tracks this is, counted from 1.
    let number: Int
    private(set) var lineage: Int
    private(set) var bounds: NormalizedRect
    private(set) var lastSeen: FrameStamp
    private(set) var path = FacePath()

    /// The face as subscribers see it; nil before its enter.
    private(set) var face: FaceObject?

    private let firstSeen: FrameStamp
    /// When the face was last measured, in seconds.
    private var lastMeasured: Double
    /// How often it is, once there was no time for it in some frame.
    private var ownRate: FrameRateMeter?
    private var enterTime = 0.0
    private var seenFrames = 0
    private var latest: FaceObject
    private var smoother = ObservationSmoother()
    private var smile = SmileDetector()
    private var eyes = EyeMonitor()
    private var gaze = GazeMonitor()
    private var signs = SignDetector()
    private var expressionEvents: [(kind: FaceEvent.Kind, stamp: FrameStamp)] = []

    init(_ observation: FaceObservation, number: Int, at stamp: FrameStamp) {
        self.number = number
        lineage = observation.lineage
        bounds = observation.bounds
        firstSeen = stamp
        lastSeen = stamp
        lastMeasured = stamp.mediaTime
        latest = FaceObject(faceID: FaceID(rawValue: 0), bounds: bounds, confidence: observation.confidence)
    }

    mutating func observe(
        _ observation: FaceObservation,
        at stamp: FrameStamp,
        frameRate: Double,
        parameters: FaceTracker.Parameters
    ) {
        let interval = stamp.mediaTime - lastSeen.mediaTime
        lineage = observation.lineage
        guard !observation.isHeld else { return hold(at: stamp) }
        bounds = observation.bounds
        path.append(bounds, at: stamp.mediaTime)
        lastMeasured = stamp.mediaTime
        ownRate?.advance(to: stamp.mediaTime)
        lastSeen = stamp
        seenFrames += 1
        let smooth = smoother.smooth(observation.bounds, observation.pose, interval: interval)
        latest.bounds = smooth.bounds
        latest.pose = smooth.pose
        latest.confidence = observation.confidence
        latest.leftEye = observation.leftEye
        latest.rightEye = observation.rightEye
        latest.mouth = observation.mouth
        latest.trackedFrames = face == nil ? 0 : latest.trackedFrames + 1
        readExpression(observation, at: stamp, min(frameRate, ownRate?.value ?? frameRate), parameters)
        if let face {
            latest.faceID = face.faceID
            self.face = latest
        }
    }

    /// The face as it was measured in the newest frame.
    func sighting(_ observation: FaceObservation) -> FaceSighting {
        var seen = latest
        seen.faceID = face?.faceID ?? FaceID(rawValue: 0)
        (seen.bounds, seen.pose) = (observation.bounds, observation.pose)
        return FaceSighting(track: number, face: seen)
    }

    /// Takes a frame in which there was no time to measure the face: it stays where it was, and its blinks are seen in the
    /// other frames, if these are enough.
    private mutating func hold(at stamp: FrameStamp) {
        lastSeen = stamp
        if ownRate == nil {
            ownRate = FrameRateMeter()
            ownRate?.advance(to: lastMeasured)
        }
        guard face != nil else { return }
        latest.trackedFrames += 1
        face?.trackedFrames = latest.trackedFrames
        face?.isSeen = true
        face?.confidence = latest.confidence
    }

    /// Takes a frame in which the face was not seen.
    ///
    /// What its eyes were about to do is not taken up again after a long gap; the mouth's detector sees to that itself.
    /// A frame that was not looked at, because its pixels could not be read, does not say that the face is hidden.
    /// After a cut nothing speaks for a face where it was seen last.
    mutating func miss(at stamp: FrameStamp, wasLookedAt: Bool, isCut: Bool) {
        if wasLookedAt { face?.isSeen = false }
        if isCut { face?.confidence = 0 }
        if isLost(at: stamp) { eyes.interrupt(at: stamp.mediaTime) }
    }

    /// Whether the face has been unseen for longer than a gap that is bridged.
    func isLost(at stamp: FrameStamp) -> Bool { stamp.mediaTime - lastSeen.mediaTime > Self.bridgedGap }

    func canEnter(at stamp: FrameStamp, after delay: Double) -> Bool {
        face == nil && seenFrames >= 2 && stamp.mediaTime - firstSeen.mediaTime >= delay - Self.slack
    }

    mutating func enter(as id: FaceID, at stamp: FrameStamp) -> FaceEvent {
        latest.faceID = id
        latest.trackedFrames = 1
        enterTime = stamp.mediaTime
        face = latest
        // What was over before is not reported, but a smile or a look that began earlier and lasts is news to subscribers.
        expressionEvents.removeAll { $0.stamp.mediaTime < enterTime || $0.kind.isEnd }
        for (kind, lasts) in [(FaceEvent.Kind.smile, smile.isSmiling), (.look, gaze.isLooking == true)] {
            if lasts, !expressionEvents.contains(where: { $0.kind == kind }) { expressionEvents.append((kind, stamp)) }
        }
        return FaceEvent(kind: .enter, face: latest, stamp: stamp)
    }

    /// The leave of a face that has entered, and before it the end of what it was doing.
    func leave(reason: FaceEvent.LeaveReason, at stamp: FrameStamp) -> [FaceEvent] {
        guard var face else { return [] }
        face.confidence = latest.confidence
        let dwell = max(0, lastSeen.mediaTime - enterTime)
        var (smile, gaze) = (smile, gaze)
        let ended = [smile.end(at: lastSeen.mediaTime), gaze.end()].compactMap(\.self)
        return (ended + [.leave(dwell: dwell, lastSeen: lastSeen.time, reason: reason)])
            .map { [face] in FaceEvent(kind: $0, face: face, stamp: stamp) }
    }

    /// The events of this frame's expression; what happened before the enter is dropped, for the face was not published yet.
    ///
    /// A blink has the stamp of the first frame with open eyes, about a tenth of a second before.
    mutating func takeExpressionEvents() -> [FaceEvent] {
        guard !expressionEvents.isEmpty else { return [] }
        defer { expressionEvents.removeAll(keepingCapacity: true) }
        guard let face else { return [] }
        return expressionEvents.filter { $0.stamp.mediaTime >= enterTime }
            .map { FaceEvent(kind: $0.kind, face: face, stamp: $0.stamp) }
    }

    private mutating func readExpression(
        _ observation: FaceObservation,
        at stamp: FrameStamp,
        _ frameRate: Double,
        _ parameters: FaceTracker.Parameters
    ) {
        let isVisible =
            observation.eyeDistance >= parameters.smallestEyeDistance
            && abs(observation.pose.yaw) <= parameters.yawLimit
        let mouth = smile.advance(
            observation.mouthShape,
            isVisible: isVisible,
            at: stamp.mediaTime,
            merge: parameters.smileMerge
        )
        latest.smile = mouth.smile
        latest.smiling = mouth.smiling
        if mouth.began { expressionEvents.append((.smile, stamp)) }
        if let ended = mouth.ended { expressionEvents.append((ended, stamp)) }
        let looked = eyes.advance(observation, isVisible: isVisible, at: stamp, frameRate: frameRate)
        latest.leftEyeClosed = looked.isClosed?.left
        latest.rightEyeClosed = looked.isClosed?.right
        let look = gaze.advance(observation, areEyesOpen: looked.areOpen, at: stamp.mediaTime, parameters)
        (latest.gaze, latest.distance, latest.looking) = (gaze.gaze, gaze.distance, gaze.isLooking)
        if look.began { expressionEvents.append((.look, stamp)) }
        if let ended = look.ended { expressionEvents.append((ended, stamp)) }
        if let blink = looked.blink {
            expressionEvents.append((.blink(eyes: blink.eyes, duration: blink.duration), blink.opened))
        }
        if let closure = looked.closure {
            expressionEvents.append((.eyesClosed(eyes: closure.eyes, duration: closure.duration), stamp))
        }
        guard parameters.readsSigns else { return }
        let closed = looked.isClosed.map { ($0, looked.openness) }
        let sign = signs.advance(observation, eyes: closed, isMirrored: parameters.isMirrored, at: stamp.mediaTime)
        if let sign { expressionEvents.append((sign, stamp)) }
    }
}

/// All that is derived from the eyes of one face.
struct EyeMonitor: Sendable {
    /// What a frame brought.
    struct Output {
        /// A blink that ended about a tenth of a second ago.
        var blink: BlinkDetector.Blink?
        /// Eyes that have been closed for longer than a blink, once.
        var closure: (eyes: FaceEvent.Eyes, duration: Double)?
        /// Which eyes are closed; nil if that is unknown.
        var isClosed: EachEye<Bool>?
        /// How far each eye is open, as a share of its open level.
        var openness = EachEye(1.0, 1.0)
        /// Whether the eyes are open so far that their irises can be seen.
        var areOpen = false
    }

    /// Below this rate, in analysed frames per second, even eyes that stay closed are seen in too few frames; it stands
    /// for 5, as the least rate for blinks stands for 15.
    private static let minimumClosureRate = 4.5

    private var openness = EyeOpenness()
    private var appearance = EyeAppearance()
    private var blink = BlinkDetector()
    private var closed = ClosedEyes()

    /// Takes the next frame in which the face was seen.
    ///
    /// Blinks are detected on smaller and more turned faces than closed eyes.
    mutating func advance(
        _ observation: FaceObservation,
        isVisible: Bool,
        at stamp: FrameStamp,
        frameRate: Double
    ) -> Output {
        let time = stamp.mediaTime
        let open = openness.advance(left: observation.leftLids, right: observation.rightLids, at: time)
        let reading = BlinkDetector.Reading(
            openness: open,
            appearance: observation.eyePatches.map { appearance.advance($0, open.share) },
            yaw: observation.pose.yaw,
            eyeDistance: observation.eyeDistance
        )
        var output = Output()
        output.areOpen = open.areOpen
        output.blink = blink.advance(reading, at: stamp, frameRate: frameRate)
        guard isVisible, frameRate >= Self.minimumClosureRate else {
            closed.interrupt(at: time)
            return output
        }
        let canBeOneEye = BlinkDetector.canWink(yaw: reading.yaw, eyeDistance: reading.eyeDistance)
        output.closure = closed.advance(open, canBeOneEye: canBeOneEye, at: time)
        (output.isClosed, output.openness) = (closed.isClosed, open.share)
        return output
    }

    /// Measures anew how long closed eyes are closed: the face was not seen for a while.
    mutating func interrupt(at time: Double) { closed.interrupt(at: time) }
}
