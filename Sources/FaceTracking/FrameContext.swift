import FaceMetadata

/// A face as it was observed in one frame, and what holds for all that is read from it.
struct FrameContext {
    let observation: FaceObservation
    let stamp: FrameStamp
    /// How many frames a second the face is measured in lately.
    var frameRate: Double
    let options: FaceTracker.Options

    /// Degrees; 90 while it is unknown.
    var yaw: Double { observation.pose.yaw ?? 90 }
    /// Pixels of the frame between the outer eye corners; 0 for a face without a mesh, whose eyes are not measured.
    var eyeDistance: Double { observation.hasMesh ? observation.eyeDistance : 0 }
    /// Seconds.
    var time: Double { stamp.mediaTime }
    /// Whether the face is measured, and large and frontal enough to read its expression.
    var isVisible: Bool { eyeDistance >= options.smallestEyeDistance && abs(yaw) <= options.yawLimit }
    /// Whether it is near and frontal enough for a dip of one eye to be a wink; in a turned head it is normal.
    var canWink: Bool { abs(yaw) <= 15 && eyeDistance >= 60 }
    /// Whether no blink falls between two frames.
    var seesBlinks: Bool { frameRate >= BlinkDetector.minimumRate }
}
