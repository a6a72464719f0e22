/// One followed face, from its first observation until it leaves. After a delay it enters, and is then published.
struct Track: Sendable {
    typealias Options = FaceTracker.Options

    /// The tolerance, in seconds, when times are compared, because they are rounded.
    static let slack = 0.0005
    /// The maximum gap between frames, in seconds, that does not interrupt smiles, blinks and other expressions. Within
    /// a blink, for example, a few frames may be lost or blurred.
    static let bridgedGap = 0.15

    /// Whether the gap between two frames is too short to interrupt expressions; false without an earlier frame.
    static func bridges(from last: Double?, to time: Double) -> Bool {
        last.map { (0...bridgedGap).contains(time - $0) } ?? false
    }

    /// The number of this track, counted from 1.
    let number: Int
    private(set) var lineage: Int
    private(set) var bounds: NormalizedRect
    private(set) var lastSeen: FrameStamp
    private(set) var path = FacePath()
    /// The colours of the clothes below the face: a running mean in which the newest count most.
    private(set) var clothes: ClothesColors?
    /// Whether the scene has changed since the face was last seen, so that a face in its place may be another one.
    var wasCut = false
    /// The hold that keeps the face after it has been unseen for `Options.patience`; nil if the face is not held.
    private(set) var hold: Hold?
    /// The face as published; nil before it enters. Its confidence is 0 while it is held, or unseen since a scene cut.
    var face: FaceObject? {
        guard hasEntered else { return nil }
        var face = latest
        if !face.isSeen, wasCut || hold != nil { face.confidence = 0 }
        return face
    }

    /// Whether the landmarks are needed even in a frame that hardly changed, because a smile may begin or end.
    var needsEveryFrame: Bool { smile.isDeciding }

    private(set) var hasEntered = false
    private let firstSeen: FrameStamp
    /// The meter of this face's own measuring rate; nil until the CPU budget first leaves no time to measure the face.
    private var ownRate: FrameRateMeter?
    private var enterTime = 0.0
    private var seenFrames = 0
    /// The numbers of frames since the face entered: `all` in which it was measured, `judged` with a known expression.
    private var measuredFrames = (all: 0, judged: 0)
    private var latest: FaceObject
    private var smoother = ObservationSmoother()
    private var thinning = Thinning()
    private var smile = SmileDetector()
    private var eyes = EyeDetector()
    private var lips = MouthDetector()
    private var gaze = GazeDetector()
    private var signs = SignDetector()
    private var zones = ZoneDetector()
    private var stillness = StillnessDetector()
    private var expressionEvents: [(kind: FaceEvent.Kind, stamp: FrameStamp)] = []

    init(_ observation: FaceObservation, number: Int, at stamp: FrameStamp) {
        self.number = number
        lineage = observation.lineage
        bounds = observation.bounds
        firstSeen = stamp
        lastSeen = stamp
        latest = FaceObject(faceID: FaceID(rawValue: 0), bounds: bounds, confidence: observation.confidence)
    }

    mutating func observe(_ context: FrameContext) {
        let observation = context.observation
        let stamp = context.stamp
        let interval = stamp.mediaTime - lastSeen.mediaTime
        lineage = observation.lineage
        guard !observation.isCarriedOver else { return carryOver(at: stamp) }
        bounds = observation.bounds
        wasCut = false
        if hold != nil { latest.visit?.unseen += interval }
        hold = nil
        if let newer = observation.clothes {
            if clothes == nil { clothes = newer } else { clothes?.blend(newer) }
        }
        let isSample = thinning.takes(stamp.mediaTime)
        if isSample { path.append(bounds, at: stamp.mediaTime) }
        ownRate?.advance(to: stamp.mediaTime)
        lastSeen = stamp
        seenFrames += 1
        let (smoothBounds, smoothPose) = smoother.smooth(observation.bounds, observation.pose, interval: interval)
        latest.bounds = smoothBounds
        latest.pose = smoothPose
        latest.confidence = observation.confidence
        latest.isSeen = true
        latest.hasMesh = observation.hasMesh
        latest.leftEye = observation.leftEye
        latest.rightEye = observation.rightEye
        latest.mouth = observation.mouth
        latest.trackedFrames = hasEntered ? latest.trackedFrames + 1 : 0
        for kind in zones.advance(smoothBounds, at: stamp.mediaTime, context.options.zones) { note(kind, at: stamp) }
        latest.zones = context.options.zones.isEmpty ? nil : zones.names
        var context = context
        if let ownRate { context.frameRate = min(context.frameRate, ownRate.value) }
        readExpression(context, isSample: isSample)
        if hasEntered { updateVisit() }
    }

    private mutating func updateVisit() {
        measuredFrames.all += 1
        if latest.smiling != nil { measuredFrames.judged += 1 }
        var visit = latest.visit ?? Visit()
        visit.largestHeight = max(visit.largestHeight, latest.bounds.height)
        if let distance = latest.distance { visit.nearestDistance = min(visit.nearestDistance ?? distance, distance) }
        visit.judgedShare = Double(measuredFrames.judged) / Double(measuredFrames.all)
        latest.visit = visit
    }

    /// Returns the face with the unsmoothed bounds and pose of the newest frame.
    func sighting(_ observation: FaceObservation) -> FaceSighting {
        var seen = latest
        seen.bounds = observation.bounds
        seen.pose = observation.pose
        return FaceSighting(track: number, face: seen)
    }

    /// Processes a frame in which the CPU budget left no time to measure the face. The face keeps its values.
    private mutating func carryOver(at stamp: FrameStamp) {
        if ownRate == nil {
            ownRate = FrameRateMeter()
            ownRate?.advance(to: lastSeen.mediaTime)
        }
        lastSeen = stamp
        if hasEntered { latest.trackedFrames += 1 }
        latest.isSeen = true
    }

    /// Processes a frame in which the face was not seen. `wasLookedAt` is false if the frame could not be analysed. The
    /// face is then not marked as unseen. After a gap of more than `bridgedGap`, the duration of closed eyes restarts.
    mutating func miss(at stamp: FrameStamp, wasLookedAt: Bool, _ options: Options) {
        if wasLookedAt { latest.isSeen = false }
        for kind in zones.end(at: lastThere.mediaTime, except: options.zones) { note(kind, at: stamp) }
        latest.zones = options.zones.isEmpty ? nil : zones.names
        if isLost(at: stamp) { eyes.closed.interrupt(at: stamp.mediaTime) }
    }

    /// The stamp of the last frame in which the person was known to be there.
    private var lastThere: FrameStamp { hold?.lastThere ?? lastSeen }

    private func isLost(at stamp: FrameStamp) -> Bool { stamp.mediaTime - lastSeen.mediaTime > Self.bridgedGap }

    func canEnter(at stamp: FrameStamp, after delay: Double) -> Bool {
        !hasEntered && seenFrames >= 2 && stamp.mediaTime - firstSeen.mediaTime >= delay - Self.slack
    }

    mutating func enter(as id: FaceID, at stamp: FrameStamp) -> FaceEvent {
        latest.faceID = id
        latest.trackedFrames = 1
        updateVisit()
        enterTime = stamp.mediaTime
        hasEntered = true
        // No look, smile or stay in a zone is reported as longer than the visit.
        (gaze.look.visitBegan, zones.visitBegan) = (enterTime, enterTime)
        smile.visitBegan = enterTime
        // Expressions that ended before the enter are not reported. Those that began before and last are.
        expressionEvents.removeAll { $0.stamp.mediaTime < enterTime || $0.kind.isEnd }
        let ongoing = [smile.ongoing, eyes.closed.ongoing(at: enterTime), lips.ongoing, gaze.look.ongoing]
        for kind in ongoing.compactMap(\.self) + zones.ongoing
        where !expressionEvents.contains(where: { $0.kind == kind }) {
            expressionEvents.append((kind, stamp))
        }
        return FaceEvent(kind: .enter, face: latest, stamp: stamp)
    }

    /// Returns the place in which to look for the person, if the face has been unseen for `Options.patience` and the
    /// place is due to be examined; otherwise nil. A still face, which is a picture, has no person behind it.
    func place(at time: Double, _ options: Options) -> PlaceQuery? {
        guard let face, !face.still, time - lastSeen.mediaTime >= options.patience - Self.slack,
            hold?.isDue(at: time) ?? true
        else { return nil }
        return PlaceQuery(track: number, bounds: bounds, clothes: clothes, lastSeen: lastSeen.mediaTime)
    }

    /// Whether a face that was not seen in a frame still counts as present. `readings` is nil for a frame that could
    /// not be analysed. If `Options.patience` ends in such a frame, the next analysed frame decides.
    mutating func isThere(_ readings: [Int: PlaceReading]?, at stamp: FrameStamp, _ options: Options) -> Bool {
        // A face that has not entered is not published. It is dropped after a single frame in which it is not found.
        guard hasEntered else { return readings == nil && !isLost(at: stamp) }
        let unseen = stamp.mediaTime - lastSeen.mediaTime
        if wasCut, hold != nil { return false }
        guard unseen >= options.patience - Self.slack else { return true }
        guard unseen < options.hold else { return false }
        guard readings != nil || hold != nil else { return unseen <= options.patience + Hold.interval + Self.slack }
        var new = hold ?? Hold(since: lastSeen)
        guard new.update(readings?[number], at: stamp) else { return false }
        if hold == nil { becomeHeld(at: stamp) }
        hold = new
        return true
    }

    /// Makes the face a held one, which is kept unseen: ends its expressions, and forgets all measurements.
    private mutating func becomeHeld(at stamp: FrameStamp) {
        for kind in endExpressions() { note(kind, at: stamp) }
        var bare = FaceObject(faceID: latest.faceID, bounds: latest.bounds, confidence: latest.confidence)
        bare.zones = latest.zones
        bare.trackedFrames = latest.trackedFrames
        bare.visit = latest.visit
        bare.isSeen = false
        latest = bare
    }

    /// Ends the expressions that were under way when the face was last seen, and returns their events.
    private mutating func endExpressions() -> [FaceEvent.Kind] {
        let time = lastSeen.mediaTime
        return [smile.end(at: time), eyes.closed.end(at: time), gaze.look.end()].compactMap(\.self)
    }

    /// Returns the end events of expressions and zone stays, then the `leave`; empty if the face has not entered.
    func leave(reason: FaceEvent.LeaveReason, at stamp: FrameStamp) -> [FaceEvent] {
        guard hasEntered else { return [] }
        var face = latest
        let last = lastThere
        let dwell = max(0, last.mediaTime - enterTime)
        face.visit?.unseen += max(0, last.mediaTime - lastSeen.mediaTime)
        var ending = self
        let ended = ending.endExpressions() + ending.zones.end(at: last.mediaTime)
        for kind in ended { face.visit?.add(kind) }
        return (ended + [.leave(dwell: dwell, lastSeen: last.time, reason: reason)])
            .map { [face] in FaceEvent(kind: $0, face: face, stamp: stamp) }
    }

    /// Removes this frame's expression events, and returns those stamped since the face entered. The others are
    /// dropped: a blink has the stamp of the first frame with open eyes again, about 0.1 s before the current frame.
    mutating func drainExpressionEvents() -> [FaceEvent] {
        guard !expressionEvents.isEmpty else { return [] }
        defer { expressionEvents.removeAll(keepingCapacity: true) }
        let events = expressionEvents.filter { hasEntered && $0.stamp.mediaTime >= enterTime }
        for event in events { latest.visit?.add(event.kind) }
        return events.map { FaceEvent(kind: $0.kind, face: latest, stamp: $0.stamp) }
    }

    /// Reads the face's expression. Detectors that keep a history get only the samples that `Thinning` lets through.
    private mutating func readExpression(_ context: FrameContext, isSample: Bool) {
        let stamp = context.stamp
        let mouth = context.observation.mouthShape
        if isSample { note(smile.advance(mouth, context), at: stamp) }
        latest.smile = smile.amount
        latest.smiling = smile.isSmiling
        note(lips.advance(mouth.opening, context), at: stamp)
        latest.mouthOpen = lips.opening
        latest.talking = lips.isTalking
        let (blink, closure) = isSample ? eyes.advance(context) : (nil, nil)
        let openness = eyes.seen == nil ? nil : eyes.closed.openness
        latest.leftEyeClosed = eyes.seen?.isClosed.left
        latest.rightEyeClosed = eyes.seen?.isClosed.right
        latest.leftEyeOpen = openness?.left
        latest.rightEyeOpen = openness?.right
        latest.blinksPerMinute = eyes.figures?.blinks
        latest.eyesClosedShare = eyes.figures?.closedShare
        note(gaze.advance(areEyesOpen: eyes.areOpen, context), at: stamp)
        latest.gaze = gaze.gaze
        latest.distance = gaze.distance
        latest.looking = gaze.look.isLooking
        if let blink { note(.blink(eyes: blink.eyes, duration: blink.duration), at: blink.opened) }
        note(closure, at: stamp)
        let areEyesOpen = eyes.seen.map { $0.isClosed != EachEye(true, true) } ?? false
        latest.still = stillness.advance(areEyesOpen: areEyesOpen, context)
        if isSample, context.options.readsSigns { note(signs.advance(eyes: eyes.seen, context), at: stamp) }
    }

    private mutating func note(_ kind: FaceEvent.Kind?, at stamp: FrameStamp) {
        if let kind { expressionEvents.append((kind, stamp)) }
    }
}
