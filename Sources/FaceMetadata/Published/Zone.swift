/// A named area of the picture, such as that of a door or a desk. Events report the faces that enter and leave it.
public struct Zone: Hashable, Sendable {
    /// The point of a face that must be in the zone's area.
    public enum Anchor: String, Hashable, Sendable, CaseIterable {
        /// The centre of the face's bounding box.
        case center
        /// The middle of the lower edge of the face's bounding box: the chin.
        case bottom
    }

    /// The name of the zone in messages.
    public var name: String
    /// The part of the picture that the zone covers.
    public var area: PictureArea
    /// The time, in seconds, that a face must be in the zone before its `zone_enter`.
    public var dwell: Double
    /// The minimum height of a face in the zone, as a fraction of the picture's height; it excludes people far away.
    public var minimumSize: Double
    /// The point of a face that must be in the zone's area.
    public var anchor: Anchor

    /// Whether the zone is on. A zone that is off contains no faces and has no events.
    public var isOn = true

    /// Makes a zone. By default, faces of any size enter it at once.
    public init(
        _ name: String,
        _ area: PictureArea,
        dwell: Double = 0,
        minimumSize: Double = 0,
        anchor: Anchor = .center
    ) {
        (self.name, self.area, self.dwell) = (name, area, dwell)
        self.minimumSize = minimumSize
        self.anchor = anchor
    }
}
