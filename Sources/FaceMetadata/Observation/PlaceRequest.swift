/// The tracker's request to find out which places still show a person whose face is not seen.
package struct PlaceRequest: Hashable, Sendable {
    /// Whether no face is present, not even an unseen one.
    package var isEmpty = true
    /// Whether a present face is not seen in the frame.
    package var hasUnseen = false
    /// Whether clothes must be compared, because a new face may belong to a present person whose face was unseen.
    package var comparesClothes = false
    /// The places to examine: those of faces that have been unseen for at least `FaceTracker.Options.patience`.
    package var queries: [PlaceQuery] = []
    /// The last bounds of all tracked faces that are not seen in the frame.
    package var unseen: [NormalizedRect] = []

    package init() {}
}

/// A place to examine: where a face was last seen.
package struct PlaceQuery: Hashable, Sendable {
    /// The number of the face's track.
    package var track: Int
    /// The bounds of the face when it was last seen.
    package var bounds: NormalizedRect
    /// The colours of the person's clothes; nil if they were never measured.
    package var clothes: ClothesColors?
    /// The media time, in seconds, at which the face was last seen.
    package var lastSeen: Double

    package init(track: Int, bounds: NormalizedRect, clothes: ClothesColors?, lastSeen: Double) {
        (self.track, self.bounds, self.clothes, self.lastSeen) = (track, bounds, clothes, lastSeen)
    }
}

/// The result of examining the place of an unseen face.
package enum PlaceReading: Hashable, Sendable {
    /// The place shows a person. `moved`: whether they moved since the last reading. `head`: whether their head shows.
    case person(moved: Bool, head: Bool)
    /// The place cannot be judged, because it is hidden by other people, whose faces are seen.
    case covered
    /// The place shows no person, or the picture shows another scene than the one in which the face was seen.
    case empty
}
