extension FaceObject {
    /// A face property that is published only if the camera's owner selects it. The raw value is the property's name.
    public enum OptionalField: String, Hashable, Sendable, CaseIterable {
        case looking, zones, gaze, distance, leftEyeOpen, rightEyeOpen, mouthOpen, talking, blinksPerMinute,
            eyesClosedShare, still
    }

    /// Returns a copy of the face without the optional fields that are not in `fields`.
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
