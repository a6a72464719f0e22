/// The zones, and how many faces are in each.
public struct ZonesMessage: Hashable, Sendable {
    /// A zone.
    public struct Zone: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// How many faces are in it.
        public var faces: Int
        /// The corners of its area, in the order along the border.
        public var area: [NormalizedPoint]

        /// Makes a zone from its name, the faces in it and its corners.
        public init(name: String, faces: Int, area: [NormalizedPoint]) {
            (self.name, self.faces, self.area) = (name, faces, area)
        }
    }

    /// Its sender.
    public var origin: MessageOrigin
    /// The zones.
    public var zones: [Zone]

    /// Makes a message from its origin and the zones.
    public init(origin: MessageOrigin, zones: [Zone]) { (self.origin, self.zones) = (origin, zones) }
}
