/// A command that sets what counts as a smile. Values that are nil stay as they are.
public struct SmileChange: Hashable, Sendable, WireValue {
    /// The smile level above which a clear smile begins.
    public var level: Double?
    /// The time that a smile must last before it is reported, in seconds.
    public var hold: Double?

    /// Makes a command from the values to set.
    public init(level: Double? = nil, hold: Double? = nil) { (self.level, self.hold) = (level, hold) }

    /// Applies the command to settings.
    public func apply(to settings: inout SmileSettings) {
        settings.level = level ?? settings.level
        settings.hold = hold ?? settings.hold
    }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.optional("level", &level, .smileLevel)
        try wire.optional("hold", &hold, .smileHold)
    }
}
