import Testing

@testable import DaemonCore
@testable import FacetKit

@Suite("Reloaded settings")
struct ReloadedSettingsTests {
    private static let rejected = ConfigurationStatus.Outcome.rejected(.alreadyRunning)

    private var other: Settings {
        var settings = Settings()
        settings.metadata.changes.position = 0.5
        return settings
    }

    private func status(_ number: Int, _ outcome: ConfigurationStatus.Outcome) -> ConfigurationStatus {
        ConfigurationStatus(number: number, outcome: outcome)
    }

    @Test("hold once the session works with them, not sooner, and change once")
    func accepted() {
        var reloaded = ReloadedSettings(Settings())
        reloaded.offer(other, number: 1)
        #expect(reloaded.follow(status(0, .inEffect)) == nil)
        #expect(reloaded.follow(status(1, .pending)) == nil)
        #expect(reloaded.settings == Settings())
        #expect(reloaded.follow(status(1, .inEffect))?.new == other)
        #expect(reloaded.settings == other)
        #expect(reloaded.follow(status(1, .inEffect)) == nil)
    }

    @Test("that the session rejects change nothing")
    func rejected() {
        var reloaded = ReloadedSettings(Settings())
        reloaded.offer(other, number: 1)
        #expect(reloaded.follow(status(1, Self.rejected)) == nil)
        #expect(reloaded.follow(status(1, Self.rejected)) == nil)
        #expect(reloaded.settings == Settings())
    }

    @Test("that are rejected when the session is resumed are given up for those before")
    func rejectedLater() {
        var reloaded = ReloadedSettings(Settings())
        reloaded.offer(other, number: 1)
        _ = reloaded.follow(status(1, .inEffect))
        #expect(reloaded.follow(status(1, Self.rejected))?.new == Settings())
        #expect(reloaded.follow(status(1, Self.rejected)) == nil)
    }
}
