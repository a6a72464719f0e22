import FaceMetadata

/// What holds for a face in one frame, whatever is read from it.
struct FrameContext {
    let stamp: FrameStamp
    /// How many frames a second the face is measured in lately.
    let frameRate: Double
    let parameters: FaceTracker.Parameters
    /// Degrees.
    let yaw: Double
    /// Pixels of the frame between the outer eye corners.
    let eyeDistance: Double

    init(
        _ observation: FaceObservation,
        at stamp: FrameStamp,
        frameRate: Double,
        _ parameters: FaceTracker.Parameters
    ) {
        (self.stamp, self.frameRate, self.parameters) = (stamp, frameRate, parameters)
        (yaw, eyeDistance) = (observation.pose.yaw, observation.eyeDistance)
    }

    /// Seconds.
    var time: Double { stamp.mediaTime }
    /// Whether the face is large and frontal enough to read its expression.
    var isVisible: Bool { eyeDistance >= parameters.smallestEyeDistance && abs(yaw) <= parameters.yawLimit }
    /// Whether it is near and frontal enough for a dip of one eye to be a wink; in a turned head it is normal.
    var canWink: Bool { abs(yaw) <= 15 && eyeDistance >= 60 }
    /// Whether no blink falls between two frames.
    var seesBlinks: Bool { frameRate >= BlinkDetector.minimumRate }
}
