/// Tracks which settings are in effect: the newest ones once the session works with them, until then the former ones.
struct ReloadedSettings {
    private(set) var settings: Settings
    /// The newest settings and the number that the session gave them, until the session accepts or rejects them.
    private var offered: (settings: Settings, number: Int)?
    /// The settings to return to if the session later rejects those that it accepted while paused.
    private var former: Settings?

    /// The newest settings, which may not be in effect yet.
    var newest: Settings { offered?.settings ?? settings }

    init(_ settings: Settings) { self.settings = settings }

    /// Notes new settings that the session was given under a number.
    mutating func offer(_ settings: Settings, number: Int) { offered = (settings, number) }

    /// Takes the session's verdict on the settings that it was given last. Returns the settings in effect before and
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
