/// A command that switches a zone on or off.
public struct ZoneSwitch: Hashable, Sendable, WireValue {
    /// The name of the zone.
    public var zone: String
    /// Whether the zone is to be on. A zone that is off contains no faces and has no events.
    public var isOn: Bool

    /// Makes a command from the name of a zone, and whether the zone is to be on.
    public init(zone: String, isOn: Bool) { (self.zone, self.isOn) = (zone, isOn) }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("zone", &zone, .name)
        try wire.field("on", &isOn, .flag)
    }
}
