/// A command that switches a zone.
public struct ZoneSwitch: Hashable, Sendable, WireValue {
    /// The name of the zone.
    public var zone: String
    /// Whether faces are to be reported in it.
    public var isOn: Bool

    /// Makes a command from the name of a zone, and whether faces are to be reported in it.
    public init(zone: String, isOn: Bool) { (self.zone, self.isOn) = (zone, isOn) }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("zone", &zone, .name)
        try wire.field("on", &isOn, .flag)
    }
}
