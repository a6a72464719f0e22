package import FaceMessages
package import FaceMetadata

/// One face of the scene, from the metadata that brought it to the one that no longer holds it.
package struct SceneLayer: Hashable, Sendable {
    /// The face as last received.
    package internal(set) var face: FaceObject

    /// Which layer of the scene this is, counted from 1 in the order they were made; a moved layer keeps its number.
    package let number: Int

    /// When it was made, in the scene's seconds.
    package let start: Double

    /// Since when the face is not seen, in the scene's seconds; nil while it is, and before all times once it has faded.
    var hiddenSince: Double?

    /// For how many seconds a face that is not seen any more is still drawn, fainter and fainter: where it was may be
    /// somebody's hand, or nothing.
    private static let fading = 0.15

    /// How strong it is drawn at a time, 0…1.
    func strength(at seconds: Double) -> Double {
        // Nothing is known about where a face is after a cut.
        guard face.isSeen || face.confidence > 0 else { return 0 }
        return hiddenSince.map { min(1, max(0, 1 - (seconds - $0) / Self.fading)) } ?? 1
    }

    /// Whether it will be drawn fainter than now.
    var isFading: Bool { hiddenSince.map { $0 > -.infinity } ?? false }

    /// Notes that it has faded by a time.
    mutating func advance(to seconds: Double) {
        if let since = hiddenSince, seconds >= since + Self.fading { hiddenSince = -.infinity }
    }

    /// Takes over the face's newest values, at a time in the scene's seconds.
    mutating func update(_ face: FaceObject, at seconds: Double) {
        self.face = face
        hiddenSince = face.isSeen ? nil : hiddenSince ?? seconds
    }

    /// Whose layer it is.
    package var faceID: FaceID { face.faceID }
}

/// An event's short mark on its face's layer.
package struct Flash: Hashable, Sendable {
    /// What happened; one of the event topics.
    package var kind: Topic

    /// When it was received, in the scene's seconds.
    package var start: Double

    /// Makes the mark of an event that was received at a time of the scene.
    package init(kind: Topic, start: Double) {
        self.kind = kind
        self.start = start
    }

    /// How long the mark is visible, in seconds.
    package var lifetime: Double {
        switch kind {
        case .enter: 0.5
        case .blink: 0.6
        case .smile: 1.0
        case .eyesClosed: 1.5
        default: 0
        }
    }

    /// How strong the mark is at a time: 1 when it was received, fading to 0 at the end of its life; 0 before and after.
    package func strength(at seconds: Double) -> Double {
        let age = seconds - start
        guard age >= 0, age < lifetime else { return 0 }
        return 1 - age / lifetime
    }
}
