/// Where a face looks, in degrees from the direction to the camera: 0 and 0 is into the lens.
///
/// How far eyes turn for the same iris in the picture differs between people and with glasses, so that a direction is off by
/// some degrees: it shows whether a person looks at a thing, not which word they read.
public struct Gaze: Hashable, Sendable {
    /// To the side: positive is towards the picture's right.
    public var yaw: Double

    /// Positive is up.
    public var pitch: Double

    /// Makes a direction from its angles in degrees.
    public init(yaw: Double, pitch: Double) {
        self.yaw = yaw
        self.pitch = pitch
    }

    /// The angle to another direction, in degrees; exact only near the camera's direction, where that is what matters.
    public func angle(to other: Gaze) -> Double {
        let (across, up) = (yaw - other.yaw, pitch - other.pitch)
        return (across * across + up * up).squareRoot()
    }
}

extension FaceObject {
    /// A property of a face, of the same name, that is published only if the owner of the camera wants it.
    public enum OptionalField: String, Hashable, Sendable, CaseIterable {
        case looking, zones, gaze, distance, leftEyeOpen, rightEyeOpen, mouthOpen, talking, blinksPerMinute,
            eyesClosedShare, still
    }

    /// The face with those of the optional fields only.
    public func keeping(_ fields: Set<OptionalField>) -> FaceObject {
        var face = self
        for field in OptionalField.allCases where !fields.contains(field) {
            switch field {
            case .looking: face.looking = nil
            case .zones: face.zones = nil
            case .gaze: face.gaze = nil
            case .distance: face.distance = nil
            case .leftEyeOpen: face.leftEyeOpen = nil
            case .rightEyeOpen: face.rightEyeOpen = nil
            case .mouthOpen: face.mouthOpen = nil
            case .talking: face.talking = nil
            case .blinksPerMinute: face.blinksPerMinute = nil
            case .eyesClosedShare: face.eyesClosedShare = nil
            case .still: face.still = false
            }
        }
        return face
    }
}
