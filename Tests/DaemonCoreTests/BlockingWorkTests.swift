import FacetTestSupport
import MQTT
import Testing

@testable import DaemonCore

/// The outbox waits for a disk, which Swift's shared threads must not: they handle signals and deliver messages.
@Suite("Work that blocks")
struct BlockingWorkTests {
    private let directory: TemporaryDirectory
    private let log = LogRecorder()
    private let store: Outbox
    private let otherProgram: SQLiteConnection

    /// While another program writes to the outbox, each write of ours fails, which the thread that writes logs.
    init() throws {
        directory = try TemporaryDirectory()
        let path = directory.file("outbox.sqlite")
        store = try Outbox(path: path, logger: log.logger)
        otherProgram = try SQLiteConnection(path: path)
        try otherProgram.execute("BEGIN IMMEDIATE")
    }

    @Test("a switch is stored on a thread of its own")
    func detection() async throws {
        try await Ledger(store: store, keepsSwitch: true).keep(switch: false)
        #expect(log.threads == ["outbox"])
    }

    @Test("what is announced to Home Assistant is stored on a thread of its own")
    func discovery() async throws {
        var settings = Settings()
        settings.homeAssistant.discovery = true
        let broker = BrokerSettings(host: "127.0.0.1", clientID: "test")
        let connection = try BrokerConnection(settings: broker, logger: log.logger)
        let announcer = HomeAssistantAnnouncer(
            settings,
            store: store,
            connection: connection,
            logger: log.logger
        )
        try await announcer.begin()
        #expect(log.threads == ["outbox"])
    }
}
