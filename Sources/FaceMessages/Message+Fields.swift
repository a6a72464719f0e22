// The fields of every message, in their order on the wire.

extension MetadataMessage: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try origin.fields(&wire)
        try stamp.fields(&wire)
        try wire.field("faces", &faces, .list(of: .blank))
    }
}

extension EventMessage: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        var type: String? = Topic(event.kind).rawValue
        try wire.optional("event_type", &type, .name)
        try wire.field("id", &id, .name)
        try wire.field("seq", &seq, .counter)
        try origin.fields(&wire)
        try event.face.identity(&wire)
        try event.stamp.fields(&wire)
        try event.face.place(&wire)
        try event.kind.fields(&wire)
        if case .leave = event.kind { try wire.optional("visit", &event.face.visit, .object(Visit())) }
        try wire.optional("latencyMs", &latency, .milliseconds(decimals: 1))
    }
}

extension ZonesMessage: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try origin.fields(&wire)
        try wire.field("zones", &zones, .list(of: Zone(name: "", faces: 0, area: [])))
    }
}

extension ZonesMessage.Zone: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("name", &name, .name)
        try wire.field("faces", &faces, .counter)
        try wire.field("area", &area, .list(of: NormalizedPoint(x: 0, y: 0)))
    }
}

/// A message of one value and its sender.
struct SentValue<Value: WireValue>: WireValue {
    var origin: MessageOrigin
    var value: Value

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try origin.fields(&wire)
        try value.fields(&wire)
    }
}

extension DayTotals: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("since", &since, .time)
        try wire.field("visits", &visits, .counter)
        try wire.field("looks", &looks, .counter)
        try wire.field("lookingSeconds", &lookingSeconds, .seconds)
        try wire.field("smiles", &smiles, .counter)
        try wire.field("mostFaces", &mostFaces, .counter)
        // Daemons before 0.4 have none.
        try wire.field("hours", &hours, .list(of: Hour(hour: 0)), or: [])
    }
}

extension DayTotals.Hour: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("hour", &hour, .integer(0...23))
        try wire.field("visits", &visits, .counter)
        try wire.field("looks", &looks, .counter)
        try wire.field("lookingSeconds", &lookingSeconds, .seconds)
        try wire.field("smiles", &smiles, .counter)
    }
}

extension DaemonStatus: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.optional("time", &time, .time)
        try wire.field("state", &state, .word)
        try wire.optional("cameraState", &cameraState, .word)
        try wire.optional("reason", &reason, .name)
        try wire.optional("detail", &detail, .sentence)
        try wire.optional("picture", &picture, .object(Picture(width: 0, height: 0)))
        try wire.optional("detect", &detect, .onOff)
        try wire.optional("smile", &smile, .object(SmileSettings()))
        try wire.optional("version", &version, .name)
        try wire.optional("attention", &attention, .words())
        try wire.field("held", &held, .counter, or: 0, isWritten: held > 0)
        try wire.optional("outbox", &outbox, .word)
        try wire.optional("outboxDetail", &outboxDetail, .sentence)
        try wire.optional("broker", &broker, .name)
    }
}

extension SmileSettings: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("level", &level, .smileLevel)
        try wire.field("hold", &hold, .smileHold)
    }
}

extension SmileChange: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.optional("level", &level, .smileLevel)
        try wire.optional("hold", &hold, .smileHold)
    }
}

extension WireFormat<Double> {
    fileprivate static let smileLevel = number(SmileSettings.levels, decimals: 2)
    fileprivate static let smileHold = number(SmileSettings.holds, decimals: 3)
}

extension DaemonStats: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("time", &time, .time)
        try wire.field("uptime", &uptime, .amount(decimals: 1))
        try wire.field("interval", &interval, .amount(decimals: 1))
        try wire.field("frameRate", &frameRate, .amount(decimals: 1))
        try wire.field("analysisRate", &analysisRate, .amount(decimals: 1))
        var frames = Frames(stats: self)
        try wire.field("frames", &frames, .object(frames))
        self = frames.stats
        try wire.field("stages", &stages, .list(of: Stage(name: "", runs: 0, mean: 0, longest: 0)))
        try wire.field("cpu", &cpu, .seconds)
        try wire.optional("cpuDecoding", &cpuDecoding, .seconds)
        try wire.optional("decoder", &decoder, .name)
        try wire.optional("cpuAnalysis", &cpuAnalysis, .seconds)
        try wire.field("rss", &residentBytes, .counter)
        try wire.field("messages", &messages, .object(Messages()))
    }

    /// What of the figures stands in an object of its own.
    private struct Frames: WireValue {
        var stats: DaemonStats

        mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
            try wire.field("captured", &stats.captured, .counter)
            try wire.field("analysed", &stats.analysed, .counter)
            try wire.field("dropped", &stats.dropped, .counters)
        }
    }
}

extension DaemonStats.Stage: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("name", &name, .name)
        try wire.field("runs", &runs, .counter)
        try wire.field("meanMs", &mean, .milliseconds(decimals: 3))
        try wire.field("maxMs", &longest, .milliseconds(decimals: 3))
    }
}

extension DaemonStats.Messages: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("sent", &sent, .counter)
        try wire.field("queued", &queued, .counter)
        try wire.field("expired", &expired, .counter)
        try wire.field("dropped", &dropped, .counters)
        // Without a broker there is no outbox.
        try wire.field("unsafe", &unsafe, .counter, or: 0, isWritten: outbox != nil)
        try wire.optional("outbox", &outbox, .word)
    }
}

extension DaemonStatus.Picture: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("width", &width, .pixels)
        try wire.field("height", &height, .pixels)
    }
}

extension MessageOrigin {
    fileprivate mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("camera", &camera, .name)
        try wire.field("boot", &boot, .name)
    }
}

extension FrameStamp {
    fileprivate mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("frame", &frame, .counter)
        try wire.field("time", &time, .time)
        try wire.field("mediaTime", &mediaTime, .seconds)
    }
}

// MARK: - Faces

extension Visit: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("smiles", &smiles, .counter)
        try wire.field("smilingSeconds", &smilingSeconds, .seconds)
        try wire.field("blinks", &blinks, .counter)
        try wire.field("looks", &looks, .counter)
        try wire.field("lookingSeconds", &lookingSeconds, .seconds)
        // What a daemon before 0.4 left behind has none.
        try wire.field("unseen", &unseen, .seconds, or: 0, isWritten: unseen > 0)
        try wire.optional("nearestDistance", &nearestDistance, .amount(decimals: 2))
        try wire.field("largestHeight", &largestHeight, .length)
        try wire.field("judgedShare", &judgedShare, .share)
    }
}

extension FaceObject: WireValue {
    /// What a reader begins with.
    static let blank = FaceObject(faceID: FaceID(rawValue: 0), bounds: .zero, confidence: 0)

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try identity(&wire)
        try place(&wire)
        try wire.optional("leftEye", &leftEye, .point)
        try wire.optional("rightEye", &rightEye, .point)
        try wire.optional("mouth", &mouth, .point)
        try wire.optional("smiling", &smiling, .flag)
        try wire.optional("smile", &smile, .share)
        try wire.optional("leftEyeClosed", &leftEyeClosed, .flag)
        try wire.optional("rightEyeClosed", &rightEyeClosed, .flag)
        try wire.optional("leftEyeOpen", &leftEyeOpen, .share)
        try wire.optional("rightEyeOpen", &rightEyeOpen, .share)
        try wire.optional("mouthOpen", &mouthOpen, .share)
        try wire.optional("talking", &talking, .flag)
        try wire.optional("blinksPerMinute", &blinksPerMinute, .amount(decimals: 1))
        try wire.optional("eyesClosedShare", &eyesClosedShare, .share)
        try wire.optional("looking", &looking, .flag)
        try wire.optional("zones", &zones, .names)
        try wire.optional("gaze", &gaze, .object(Gaze(yaw: 0, pitch: 0)))
        try wire.optional("distance", &distance, .amount(decimals: 2))
        try wire.field("still", &still, .flag, or: false, isWritten: still)
        try wire.field("trackedFrames", &trackedFrames, .counter, or: 0)
        try wire.field("seen", &isSeen, .flag, or: true, isWritten: !isSeen)
    }

    fileprivate mutating func identity<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("faceID", &faceID.rawValue, .identity)
    }

    /// What metadata and events have in common, but for the identity.
    fileprivate mutating func place<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("bounds", &bounds, .object(.zero))
        var (roll, yaw, pitch) = (pose?.roll, pose?.yaw, pose?.pitch)
        try wire.optional("roll", &roll, .degrees)
        try wire.optional("yaw", &yaw, .degrees)
        try wire.optional("pitch", &pitch, .degrees)
        if let roll, let yaw, let pitch { pose = HeadPose(roll: roll, yaw: yaw, pitch: pitch) }
        try wire.field("confidence", &confidence, .share)
    }
}

extension WireFormat<NormalizedPoint> {
    static let point = object(NormalizedPoint(x: 0, y: 0))
}

extension NormalizedPoint: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("x", &x, .coordinate)
        try wire.field("y", &y, .coordinate)
    }
}

extension NormalizedRect: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("x", &x, .coordinate)
        try wire.field("y", &y, .coordinate)
        try wire.field("width", &width, .length)
        try wire.field("height", &height, .length)
    }
}

extension Gaze: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("yaw", &yaw, .degrees)
        try wire.field("pitch", &pitch, .degrees)
    }
}

extension FaceEvent.Kind: WireValue {
    /// What belongs to the event.
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        switch self {
        case .enter, .smile, .mouthOpen, .look: break
        case .lookAway(var duration):
            try wire.field("duration", &duration, .seconds)
            self = .lookAway(duration: duration)
        case .zoneEnter(var zone):
            try wire.field("zone", &zone, .name)
            self = .zoneEnter(zone: zone)
        case .zoneLeave(var zone, var dwell):
            try wire.field("zone", &zone, .name)
            try wire.field("dwell", &dwell, .seconds)
            self = .zoneLeave(zone: zone, dwell: dwell)
        case .sign(var sign):
            try wire.field("kind", &sign, .word)
            self = .sign(sign)
        case .leave(var dwell, var lastSeen, var reason):
            try wire.field("dwell", &dwell, .seconds)
            try wire.field("lastSeen", &lastSeen, .time)
            try wire.field("reason", &reason, .word)
            self = .leave(dwell: dwell, lastSeen: lastSeen, reason: reason)
        case .smileEnd(var duration, var peak):
            try wire.field("duration", &duration, .seconds)
            try wire.field("peak", &peak, .share)
            self = .smileEnd(duration: duration, peak: peak)
        case .blink(var eyes, var duration), .eyesClosed(var eyes, var duration), .eyesOpen(var eyes, var duration):
            try wire.field("eyes", &eyes, .word)
            try wire.field("duration", &duration, .seconds)
            switch self {
            case .blink: self = .blink(eyes: eyes, duration: duration)
            case .eyesClosed: self = .eyesClosed(eyes: eyes, duration: duration)
            default: self = .eyesOpen(eyes: eyes, duration: duration)
            }
        }
    }
}
