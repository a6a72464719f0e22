import FacetTestSupport
import Logging
import Synchronization
import Testing

@testable import MQTT

/// A clock that goes by a test's word only, so that no event grows old while a busy machine is slow.
final class MovableClock: Sendable {
    private let offset = Mutex<Int64>(0)

    /// What to give to a connection.
    var clock: DeliveryClock {
        DeliveryClock { [self] in .start.advanced(by: offset.withLock(\.self)) }
    }

    /// Makes everything older.
    func advance(seconds: Int64) {
        offset.withLock { $0 += seconds * 1_000_000_000 }
    }
}

extension DeliveryClock {
    /// Stands still, at the same moment in every process.
    static let still = DeliveryClock { .start }
}

extension DeliveryClock.Moment {
    /// Some moment of a machine that has been up for an hour.
    fileprivate static let start = Self(
        wall: 1_800_000_000_000_000_000,
        uptime: 3_600_000_000_000,
        boot: "the boot of the tests"
    )

    /// The moment that is some nanoseconds later.
    fileprivate func advanced(by nanoseconds: Int64) -> Self {
        Self(wall: wall + nanoseconds, uptime: uptime + nanoseconds, boot: boot)
    }
}

extension BrokerConnection {
    /// A connection for tests of anything but age: its events stay young.
    convenience init(
        testing settings: BrokerSettings,
        rules: DeliveryRules = DeliveryRules(),
        store: any EventStore = Outbox(),
        logger: Logger = .silent
    ) throws {
        try self.init(settings: settings, rules: rules, store: store, clock: .still, logger: logger)
    }
}

extension BrokerSettings {
    /// A client of a test's broker, which reconnects fast.
    static func test(port: Int, clientID: String = "camera") -> BrokerSettings {
        var settings = BrokerSettings(host: "127.0.0.1", port: port, clientID: clientID)
        settings.reconnectDelay = .milliseconds(20) ... .milliseconds(100)
        return settings
    }
}

/// Follows a connection's states from several places of a test.
final class StateWatcher {
    private var iterator: AsyncCompactMapSequence<AsyncStream<BrokerConnection.Occurrence>, ConnectionState>.Iterator
    /// All states seen.
    private(set) var seen: [ConnectionState] = []

    init(_ connection: BrokerConnection) {
        iterator = connection.occurrences.compactMap(\.state).makeAsyncIterator()
    }

    /// Waits for the next state that satisfies a condition.
    @discardableResult
    func wait(for condition: (ConnectionState) -> Bool) async -> ConnectionState? {
        while let state = await iterator.next(isolation: #isolation) {
            seen.append(state)
            if condition(state) { return state }
        }
        return nil
    }

    /// Waits until the connection is up.
    func connected() async { await wait(for: \.isConnected) }

    /// Waits until the connection is gone.
    func lost() async { await wait(for: { !$0.isConnected && $0 != .connecting }) }
}

/// Waits until a condition is met; the test's time limit ends it.
func eventually(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
}

extension BrokerConnection {
    /// Publishes an event whose payload is its number.
    func publishNumbered(_ numbers: ClosedRange<Int>) {
        for number in numbers { publish(event: MQTTMessage(topic: "faces/enter", text: "\(number)")) }
    }
}

extension MQTTMessage {
    /// A message whose payload is a text.
    init(topic: String, text: String, qos: QoS = .atMostOnce, retain: Bool = false) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain)
    }
}
