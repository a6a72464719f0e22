/// A command that switches a zone on or off.
public struct ZoneSwitch: Hashable, Sendable, WireValue {
    /// The name of the zone.
    public var zone: String
    /// Whether faces in the zone are to be reported.
    public var isOn: Bool

    /// Makes a command from the name of a zone, and whether faces in it are to be reported.
    public init(zone: String, isOn: Bool) { (self.zone, self.isOn) = (zone, isOn) }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("zone", &zone, .name)
        try wire.field("on", &isOn, .flag)
    }
}
