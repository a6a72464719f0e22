/// A request for what the tracker must know of people's places in a frame.
package struct PlaceRequest: Hashable, Sendable {
    /// Whether no face has entered.
    package var isEmpty = true
    /// Whether a person is there who is not seen.
    package var hasUnseen = false
    /// Whether new faces may be held ones, so that their clothes must be compared.
    package var comparesClothes = false
    /// The places to read: those of the unseen faces whose patience has ended.
    package var queries: [PlaceQuery] = []
    /// The last bounds of all unseen faces.
    package var unseen: [NormalizedRect] = []

    package init() {}
}

/// A place to read, where a face was seen last.
package struct PlaceQuery: Hashable, Sendable {
    /// The face's track.
    package var track: Int
    /// The bounds that the face had when it was last seen.
    package var bounds: NormalizedRect
    /// The colours of the person's clothes; nil if they were not seen.
    package var clothes: ClothesColors?
    /// The time at which the face was seen last, in seconds of media time.
    package var lastSeen: Double

    package init(track: Int, bounds: NormalizedRect, clothes: ClothesColors?, lastSeen: Double) {
        (self.track, self.bounds, self.clothes, self.lastSeen) = (track, bounds, clothes, lastSeen)
    }
}

/// The content of the place of a face that is not seen.
package enum PlaceReading: Hashable, Sendable {
    /// A person, who has `moved` since the reading before or not, and whose `head` is where the face was or not.
    case person(moved: Bool, head: Bool)
    /// Other people whose faces are followed hide the place, so that nothing can be said.
    case covered
    /// No person is there, or it is another scene.
    case empty
}
