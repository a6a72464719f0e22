/// Decides which settings are in effect: the newest ones if the session works with them, else the former ones.
struct ReloadedSettings {
    /// The settings in effect.
    private(set) var settings: Settings
    /// The settings read last, under the number that the session gave them, until the session works with them.
    private var offered: (settings: Settings, number: Int)?
    /// The settings to return to if the session later rejects those that it took while paused.
    private var former: Settings?

    /// The settings read last, which may not be in effect yet.
    var newest: Settings { offered?.settings ?? settings }

    init(_ settings: Settings) { self.settings = settings }

    /// Takes new settings that the session knows by a number.
    mutating func offer(_ settings: Settings, number: Int) { offered = (settings, number) }

    /// Takes the outcome of the settings that the session was given last. Returns the settings in effect before and
    /// from now on; nil if they are the same.
    mutating func follow(_ status: ConfigurationStatus) -> (old: Settings, new: Settings)? {
        if let offered, offered.number > status.number { return nil }
        switch status.outcome {
        case .pending: return nil
        case .inEffect:
            guard let offered else { return nil }
            former = settings
            return change(to: offered.settings)
        case .rejected:
            defer { former = nil }
            if offered != nil {
                offered = nil
                return nil
            }
            return former.flatMap { change(to: $0) }
        }
    }

    private mutating func change(to new: Settings) -> (old: Settings, new: Settings)? {
        offered = nil
        defer { settings = new }
        return settings == new ? nil : (settings, new)
    }
}
