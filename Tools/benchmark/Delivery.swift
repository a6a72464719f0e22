import ArgumentParser
import Foundation
import Logging
import MQTT

extension Benchmark {
    /// What it costs to deliver events so that no crash loses them, against delivering them from memory.
    struct Delivery: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Time an event's way through outbox, network and acknowledgement, against one kept in memory."
        )

        @Argument(help: "The port of a broker on this machine.")
        var port: Int

        static let events = 1000

        func run() async throws {
            let directory = FileManager.default.temporaryDirectory.appending(path: "facet-benchmark-\(getpid())")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let logger = Logger(label: "benchmark")
            let file = try SQLiteEventStore(path: directory.appending(path: "outbox.sqlite").path, logger: logger)
            let memory = try await connect("memory", store: MemoryEventStore(), logger: logger)
            let outbox = try await connect("outbox", store: file, logger: logger)
            print("events: \(Self.events) a round, at most 50 of them under way")
            try await Benchmark.compare(
                Contender("memory") { _ in try await deliver(through: memory) },
                Contender("outbox") { _ in try await deliver(through: outbox) },
                items: Self.events
            )
            for connection in [memory, outbox] {
                let counters = connection.counters
                print("acknowledged \(counters.acknowledgedEvents), dropped \(counters.dropped.values.reduce(0, +))")
                _ = await connection.stop()
            }
        }

        private func connect(_ name: String, store: any EventStore, logger: Logger) async throws -> BrokerConnection {
            let settings = BrokerSettings(host: "127.0.0.1", port: port, clientID: "benchmark-\(name)")
            let connection = try BrokerConnection(settings: settings, store: store, logger: logger)
            try connection.start()
            for await state in connection.states where state.isConnected { break }
            return connection
        }

        private func deliver(through connection: BrokerConnection) async throws {
            let payload = [UInt8](repeating: 0x20, count: 600)
            let start = connection.counters.acknowledgedEvents
            for number in 1...Self.events {
                connection.publish(event: MQTTMessage(topic: "benchmark/enter", payload: payload))
                try await waitForAcknowledgements(of: connection, atLeast: start + number - 50)
            }
            try await waitForAcknowledgements(of: connection, atLeast: start + Self.events)
        }

        private func waitForAcknowledgements(of connection: BrokerConnection, atLeast count: Int) async throws {
            while connection.counters.acknowledgedEvents < count { try await Task.sleep(for: .milliseconds(2)) }
        }
    }
}
