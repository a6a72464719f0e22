/// The observation of one face in one frame, with what is needed to read its expression.
struct FrameContext {
    let observation: FaceObservation
    let stamp: FrameStamp
    /// The rate at which the face was measured recently, in frames per second.
    var frameRate: Double
    let options: FaceTracker.Options

    /// The yaw of the head in degrees; 90 while it is unknown.
    var yaw: Double { observation.pose.yaw ?? 90 }
    /// The distance of the outer eye corners in pixels; 0 for a face without a mesh, whose eyes are not measured.
    var eyeDistance: Double { observation.hasMesh ? observation.eyeDistance : 0 }
    var time: Double { stamp.mediaTime }
    /// Whether the face has a mesh, and is large and frontal enough for its expression to be read.
    var isVisible: Bool { eyeDistance >= options.smallestEyeDistance && abs(yaw) <= options.yawLimit }
    /// Whether the face is near and frontal enough to tell winks from blinks. Blinks of turned heads look like winks.
    var canWink: Bool { abs(yaw) <= 15 && eyeDistance >= 60 }
    /// Whether the frame rate is high enough that no blink falls between two frames.
    var seesBlinks: Bool { frameRate >= BlinkDetector.minimumRate }
}
