/// A named area in which faces are reported: at the door, at the desk.
public struct Zone: Hashable, Sendable {
    /// The point of a face that must be in the area.
    public enum Anchor: String, Hashable, Sendable, CaseIterable {
        /// The middle of the bounds.
        case center
        /// The middle of the bounds' lower edge: the chin.
        case bottom
    }

    /// The zone's name in messages.
    public var name: String
    /// The part of the picture that it covers.
    public var area: PictureArea
    /// The seconds that a face must be in the zone before its `zone_enter`.
    public var dwell: Double
    /// The smallest height of a face in the zone, as a share of the picture's: people far behind it have smaller ones.
    public var minimumSize: Double
    /// The point of a face that must be in the area.
    public var anchor: Anchor

    /// Whether faces are reported in the zone; one that is off has none.
    public var isOn = true

    /// Makes a zone; with only a name and an area, faces of any size enter it at once.
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
