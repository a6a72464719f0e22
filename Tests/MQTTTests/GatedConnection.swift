import FacetTestSupport
import MQTT

/// A connection that is up and leads to a real broker through a gate, and an observer of all that the broker receives.
struct GatedConnection {
    let broker: MosquittoBroker
    let gate: TCPProxy
    let observer: Observer
    let connection: BrokerConnection
    let watcher: StateWatcher

    init(
        rules: DeliveryRules = DeliveryRules(),
        clock: DeliveryClock = .still,
        filter: TCPProxy.Filter? = nil
    ) async throws {
        broker = try await MosquittoBroker()
        gate = try TCPProxy(to: broker.port, filter: filter)
        observer = try await Observer(of: broker)
        connection = try BrokerConnection(
            settings: .test(port: gate.port),
            rules: rules,
            clock: clock,
            logger: .silent
        )
        watcher = StateWatcher(connection)
        try connection.start()
        await watcher.connected()
    }
}
