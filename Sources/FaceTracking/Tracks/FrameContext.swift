/// A face as it was observed in one frame, with the conditions under which its expression is read.
struct FrameContext {
    let observation: FaceObservation
    let stamp: FrameStamp
    /// The frames per second in which the face has been measured lately.
    var frameRate: Double
    let options: FaceTracker.Options

    /// The yaw of the head in degrees; 90 while it is unknown.
    var yaw: Double { observation.pose.yaw ?? 90 }
    /// The pixels of the frame between the outer eye corners; 0 for a face without a mesh, whose eyes are not measured.
    var eyeDistance: Double { observation.hasMesh ? observation.eyeDistance : 0 }
    /// The media time in seconds.
    var time: Double { stamp.mediaTime }
    /// Whether the face is measured, and large and frontal enough to read its expression.
    var isVisible: Bool { eyeDistance >= options.smallestEyeDistance && abs(yaw) <= options.yawLimit }
    /// Whether a dip of one eye can be a wink: the face is near and frontal. Turned heads have such dips in blinks.
    var canWink: Bool { abs(yaw) <= 15 && eyeDistance >= 60 }
    /// Whether frames come so fast that no blink falls between two of them.
    var seesBlinks: Bool { frameRate >= BlinkDetector.minimumRate }
}
