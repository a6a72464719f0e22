import FaceMessages

/// An event's short mark on its face.
struct Flash: Hashable, Sendable {
    /// What happened; one of the event topics.
    var kind: Topic
    /// When it was received, in the scene's seconds.
    var start: Double

    /// How long the mark is visible, in seconds.
    var lifetime: Double {
        switch kind {
        case .enter: 0.5
        case .blink: 0.6
        case .smile, .look: 1.0
        case .eyesClosed: 1.5
        default: 0
        }
    }

    /// How strong the mark is at a time: 1 when it was received, fading to 0 at the end of its life; 0 before and after.
    func strength(at seconds: Double) -> Double {
        let age = seconds - start
        guard age >= 0, age < lifetime else { return 0 }
        return 1 - age / lifetime
    }
}
