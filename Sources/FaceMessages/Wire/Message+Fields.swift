// The fields of the values that messages contain, in the order in which they are sent.

/// The content of a message that consists of a sender and one value.
struct SentValue<Value: WireValue>: WireValue {
    var origin: MessageOrigin
    var value: Value

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try origin.fields(&wire)
        try value.fields(&wire)
    }
}

extension SmileSettings: WireValue {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("level", &level, .smileLevel)
        try wire.field("hold", &hold, .smileHold)
    }
}

extension WireFormat<Double> {
    static let smileLevel = number(SmileSettings.levels, decimals: 2)
    static let smileHold = number(SmileSettings.holds, decimals: 3)
}

extension FrameStamp {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
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
        // Values that a daemon before 0.4 stored do not have this field.
        try wire.field("unseen", &unseen, .seconds, or: 0, isWritten: unseen > 0)
        try wire.optional("nearestDistance", &nearestDistance, .amount(decimals: 2))
        try wire.field("largestHeight", &largestHeight, .length)
        try wire.field("judgedShare", &judgedShare, .share)
    }
}

extension FaceObject: WireValue {
    /// An empty face, with which decoding starts before it sets the fields.
    static let blank = FaceObject(faceID: FaceID(rawValue: 0), bounds: .zero, confidence: 0)

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try identity(&wire)
        try commonFields(&wire)
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
        try wire.field("mesh", &hasMesh, .flag, or: true, isWritten: !hasMesh)
        try wire.field("trackedFrames", &trackedFrames, .counter, or: 0)
        try wire.field("seen", &isSeen, .flag, or: true, isWritten: !isSeen)
    }

    mutating func identity<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("faceID", &faceID.rawValue, .identity)
    }

    /// Writes or reads the fields that a face has both in metadata and in events, except its identity.
    mutating func commonFields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("bounds", &bounds, .object(.zero))
        var (roll, yaw, pitch) = (pose?.roll, pose?.yaw, pose?.pitch)
        try wire.optional("roll", &roll, .degrees)
        try wire.optional("yaw", &yaw, .degrees)
        try wire.optional("pitch", &pitch, .degrees)
        if let roll { pose = HeadPose(roll: roll, yaw: yaw, pitch: pitch) }
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
    /// Writes or reads the fields that only this kind of event has.
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
