/// The zones with the number of faces in each: the payload of `faces/zones`.
public struct ZonesMessage: Hashable, Sendable, WireValue {
    /// A named area of the picture.
    public struct Zone: Hashable, Sendable, WireValue {
        /// The name of the zone.
        public var name: String
        /// The number of faces in the zone.
        public var faces: Int
        /// The corners of the zone, in order along its border, as fractions of the upright picture's width and height.
        public var area: [NormalizedPoint]
        /// Whether the zone is on, which `ZoneSwitch` changes. A zone that is off contains no faces and has no events.
        public var isOn = true

        /// Makes a zone that is on, from its name, the number of faces in it and its corners.
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

    /// The sender of the message.
    public var origin: MessageOrigin
    /// The zones.
    public var zones: [Zone]

    /// Makes a message from its sender and the zones.
    public init(origin: MessageOrigin, zones: [Zone]) { (self.origin, self.zones) = (origin, zones) }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try origin.fields(&wire)
        try wire.field("zones", &zones, .list(of: Zone(name: "", faces: 0, area: [])))
    }
}
