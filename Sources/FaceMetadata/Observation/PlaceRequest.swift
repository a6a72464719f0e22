/// What must be known of people's places in a frame.
package struct PlaceRequest: Hashable, Sendable {
    /// Whether no face has entered.
    package var isEmpty = true
    /// Whether a person is there who is not seen.
    package var hasUnseen = false
    /// Whether new faces may be held ones, so that their clothes must be compared.
    package var comparesClothes = false
    /// The places to look at: those of the unseen faces whose patience has ended.
    package var queries: [PlaceQuery] = []
    /// The last bounds of all unseen faces.
    package var unseen: [NormalizedRect] = []

    package init() {}
}

/// A place to look at, where a face was seen last.
package struct PlaceQuery: Hashable, Sendable {
    /// The face's track.
    package var track: Int
    /// The bounds that the face had when it was last seen.
    package var bounds: NormalizedRect
    /// What the person wore; nil if that was not seen.
    package var clothes: ClothesColors?
    /// When the face was seen last, in seconds of media time.
    package var lastSeen: Double

    package init(track: Int, bounds: NormalizedRect, clothes: ClothesColors?, lastSeen: Double) {
        (self.track, self.bounds, self.clothes, self.lastSeen) = (track, bounds, clothes, lastSeen)
    }
}

/// What the place of a face that is not seen shows.
package enum PlaceReading: Hashable, Sendable {
    /// A person, who has moved or not since the reading before, and whose head is where the face was or not.
    case person(moved: Bool, head: Bool)
    /// Other people whose faces are followed, so that nothing can be said.
    case covered
    /// No person, or another scene.
    case empty
}
