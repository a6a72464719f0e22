/// The settings that decide what counts as a smile.
public struct SmileSettings: Hashable, Sendable {
    /// The allowed range of `level`.
    public static let levels = 0.2...1.5
    /// The allowed range of `hold`, in seconds.
    public static let holds = 0.0...10.0

    /// The measured smile level above which a smile begins while the lips are still: 0 is an average resting mouth, 1
    /// an average smile. A measured level that is up to 0.1 lower begins a smile after 0.8 s. It must also be at least
    /// `level − 0.2` above the face's resting level, unless the face appears smiling. A smile ends below `level / 2`.
    public var level = 0.7
    /// The level below which a smile ends at once.
    package var endLevel: Double { 0.5 * level }
    /// The time, in seconds, that a smile must last before it is reported.
    public var hold = 0.0

    /// Makes the default settings.
    public init() {}
}
