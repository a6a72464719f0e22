/// The zones, with the number of faces in each.
public struct ZonesMessage: Hashable, Sendable, WireValue {
    /// A zone.
    public struct Zone: Hashable, Sendable, WireValue {
        /// Its name.
        public var name: String
        /// The number of faces in the zone.
        public var faces: Int
        /// The corners of its area, in the order along the border.
        public var area: [NormalizedPoint]
        /// Whether faces are reported in it, as its last `ZoneSwitch` says.
        public var isOn = true

        /// Makes a zone from its name, the faces in it and its corners.
        public init(name: String, faces: Int, area: [NormalizedPoint]) {
            (self.name, self.faces, self.area) = (name, faces, area)
        }

        mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
            try wire.field("name", &name, .name)
            try wire.field("faces", &faces, .counter)
            try wire.field("area", &area, .list(of: NormalizedPoint(x: 0, y: 0)))
            try wire.field("on", &isOn, .flag, or: true, isWritten: !isOn)
        }
    }

    /// Its sender.
    public var origin: MessageOrigin
    /// The zones.
    public var zones: [Zone]

    /// Makes a message from its origin and the zones.
    public init(origin: MessageOrigin, zones: [Zone]) { (self.origin, self.zones) = (origin, zones) }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try origin.fields(&wire)
        try wire.field("zones", &zones, .list(of: Zone(name: "", faces: 0, area: [])))
    }
}
