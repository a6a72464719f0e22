import FaceMetadata

/// One followed face: from its first observation, through enter, to its leave.
struct Track: Sendable {
    /// Half a millisecond: three frames at 30 per second are 0.1 s but for rounding.
    static let slack = 0.0005

    /// A gap no longer than this, in seconds, is bridged: a frame or a few that were lost or blurred within a blink.
    private static let bridgedGap = 0.15

    private(set) var lineage: Int
    private(set) var bounds: NormalizedRect
    private(set) var lastSeen: FrameStamp

    /// The face as subscribers see it; nil before its enter.
    private(set) var face: FaceObject?

    private let firstSeen: FrameStamp
    private var enterTime = 0.0
    private var seenFrames = 0
    private var latest: FaceObject
    private var smoother = ObservationSmoother()
    private var smile = SmileDetector()
    private var blink = BlinkDetector()
    private var expressionEvents: [FaceEvent.Kind] = []

    init(_ observation: FaceObservation, at stamp: FrameStamp) {
        lineage = observation.lineage
        bounds = observation.bounds
        firstSeen = stamp
        lastSeen = stamp
        latest = FaceObject(
            faceID: FaceID(rawValue: 0),
            bounds: bounds,
            confidence: observation.confidence,
            trackedFrames: 0
        )
    }

    mutating func observe(
        _ observation: FaceObservation,
        at stamp: FrameStamp,
        frameRate: Double,
        parameters: FaceTracker.Parameters
    ) {
        let interval = stamp.mediaTime - lastSeen.mediaTime
        lineage = observation.lineage
        bounds = observation.bounds
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
        readExpression(observation, at: stamp.mediaTime, frameRate, parameters)
        if let face {
            latest.faceID = face.faceID
            self.face = latest
        }
    }

    /// Takes a frame in which the face was not seen.
    ///
    /// What its eyes and mouth were about to do is not taken up again after a long gap.
    mutating func miss(at stamp: FrameStamp) {
        guard isLost(at: stamp) else { return }
        smile.interrupt()
        blink.interrupt()
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
        // A smile that began earlier and lasts is news to everybody.
        let lasts = smile.isSmiling && latest.smiling == true
        if lasts, !expressionEvents.contains(.smile) { expressionEvents.append(.smile) }
        return FaceEvent(kind: .enter, face: latest, stamp: stamp)
    }

    /// The leave of a face that has entered.
    func leave(reason: FaceEvent.LeaveReason, at stamp: FrameStamp) -> FaceEvent? {
        guard let face else { return nil }
        let dwell = max(0, lastSeen.mediaTime - enterTime)
        return FaceEvent(kind: .leave(dwell: dwell, lastSeen: lastSeen.time, reason: reason), face: face, stamp: stamp)
    }

    /// The events of this frame's expression; what happened before the enter is dropped, for nobody knew of the face.
    mutating func takeExpressionEvents(at stamp: FrameStamp) -> [FaceEvent] {
        defer { expressionEvents.removeAll(keepingCapacity: true) }
        guard let face else { return [] }
        return expressionEvents.map { FaceEvent(kind: $0, face: face, stamp: stamp) }
    }

    private mutating func readExpression(
        _ observation: FaceObservation,
        at time: Double,
        _ frameRate: Double,
        _ parameters: FaceTracker.Parameters
    ) {
        guard observation.eyeDistance >= parameters.smallestEyeDistance else {
            forgetExpression()
            return
        }
        let mouth = smile.advance(
            width: observation.mouthWidth,
            lift: observation.mouthCornerLift,
            yaw: observation.pose.yaw,
            at: time
        )
        latest.smile = mouth.smile
        latest.smiling = mouth.smiling
        if mouth.began { expressionEvents.append(.smile) }
        guard abs(observation.pose.yaw) <= parameters.yawLimit else {
            blink.interrupt()
            latest.leftEyeClosed = nil
            latest.rightEyeClosed = nil
            return
        }
        let eyes = blink.advance(
            left: observation.leftEyeOpenness,
            right: observation.rightEyeOpenness,
            at: time,
            frameRate: frameRate
        )
        latest.leftEyeClosed = eyes.leftClosed
        latest.rightEyeClosed = eyes.rightClosed
        if let event = eyes.event { expressionEvents.append(event) }
    }

    private mutating func forgetExpression() {
        smile.interrupt()
        blink.interrupt()
        latest.smile = nil
        latest.smiling = nil
        latest.leftEyeClosed = nil
        latest.rightEyeClosed = nil
    }
}
