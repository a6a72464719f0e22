/// Decides when metadata has changed enough since the last message to be published.
///
/// A value has changed when it has left its deadband around the published one. Changed flags, and faces that enter or
/// leave, are let through at once. Other changes wait for the first frame after the pause that `maximumRate` demands.
package struct ChangeGate: Sendable {
    /// The options: how much each value must change, and how often metadata may be published.
    package struct Options: Hashable, Sendable {
        /// The deadband of the bounds' edges, as a fraction of the picture's width and height.
        package var position = 0.01
        /// The deadband of the head's yaw, pitch and roll, in degrees.
        package var angle = 2.0
        /// The deadband of the smile and of how far eyes and mouth are open, which all are 0…1.
        package var amount = 0.1
        /// The deadband of the fraction of time in which the eyes are closed, 0…1.
        package var closedShare = 0.05
        /// The deadband of the blink rate, in blinks per minute.
        package var blinks = 2.0
        /// The deadband of the gaze, in degrees: larger than that of the head's angles, because eyes are never still.
        package var gaze: Double { 2.5 * angle }
        /// The deadband of the distance, as a fraction of the published distance.
        package var distance = 0.1
        /// The maximum number of messages per second. Entering or leaving faces and changed flags are not delayed.
        package var maximumRate = 15.0

        package init() {}
    }

    /// The options in use.
    package var options: Options
    private var published: [FaceObject] = []
    private var lastTime: Double?

    package init(options: Options = Options()) { self.options = options }

    /// Whether to publish the current faces at `time`, in seconds. If so, they are recorded as the published ones.
    package mutating func admits(_ faces: [FaceObject], at time: Double) -> Bool {
        let isUrgent =
            faces.map(\.faceID) != published.map(\.faceID) || zip(faces, published).contains(where: flagsDiffer)
        guard isUrgent || zip(faces, published).contains(where: valuesDiffer) else { return false }
        // A tenth of a period of slack, so that jitter does not halve the rate of frames that come at exactly that
        // rate. A source that was opened again may begin its time anew.
        if !isUrgent, let lastTime, time >= lastTime, time - lastTime < 0.9 / options.maximumRate { return false }
        published = faces
        lastTime = time
        return true
    }

    private func flagsDiffer(_ new: FaceObject, _ old: FaceObject) -> Bool {
        new.smiling != old.smiling || new.leftEyeClosed != old.leftEyeClosed
            || new.rightEyeClosed != old.rightEyeClosed || new.isSeen != old.isSeen
            || new.looking != old.looking || new.talking != old.talking || new.zones != old.zones
            || new.still != old.still || new.hasMesh != old.hasMesh
            || (new.pose == nil) != (old.pose == nil)
    }

    private func valuesDiffer(_ new: FaceObject, _ old: FaceObject) -> Bool {
        func hasLeft(_ deadband: Double, _ values: [(FaceObject) -> Double?]) -> Bool {
            values.contains { value in Self.differ(value(new), value(old)) { abs($0 - $1) > deadband } }
        }
        func hasTurned(_ angle: (HeadPose) -> Double?) -> Bool {
            Self.differ(new.pose.flatMap(angle), old.pose.flatMap(angle)) {
                abs(($0 - $1).remainder(dividingBy: 360)) > options.angle
            }
        }
        let edges: [(FaceObject) -> Double?] = [
            { $0.bounds.x }, { $0.bounds.y }, { $0.bounds.x + $0.bounds.width }, { $0.bounds.y + $0.bounds.height },
        ]
        return hasLeft(options.position, edges) || hasTurned(\.roll) || hasTurned(\.yaw) || hasTurned(\.pitch)
            || hasLeft(options.amount, [\.smile, \.leftEyeOpen, \.rightEyeOpen, \.mouthOpen])
            || hasLeft(options.closedShare, [\.eyesClosedShare]) || hasLeft(options.blinks, [\.blinksPerMinute])
            || Self.differ(new.gaze, old.gaze) { $0.angle(to: $1) > options.gaze }
            || Self.differ(new.distance, old.distance) { abs($0 - $1) > options.distance * $1 }
    }

    /// Whether a value has become known or unknown, or has left its deadband according to `isOther`.
    private static func differ<Value>(_ new: Value?, _ old: Value?, _ isOther: (Value, Value) -> Bool) -> Bool {
        guard let new, let old else { return (new == nil) != (old == nil) }
        return isOther(new, old)
    }
}
