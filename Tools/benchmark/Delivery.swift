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
            let file = try Outbox(path: directory.appending(path: "outbox.sqlite").path, logger: logger)
            let memory = try await connect("memory", store: Outbox(), logger: logger)
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
            let few = try await backlog(of: 10_000, in: directory, logger: logger)
            let many = try await backlog(of: 100_000, in: directory, logger: logger)
            let ratio = String(format: "%.2f", many.perEvent / few.perEvent)
            print("delivering one of 100000 waiting events takes \(ratio) times as long as one of 10000")
        }

        /// Publishes events while there is no connection, then lets them go.
        private func backlog(
            of count: Int,
            in directory: URL,
            logger: Logger
        ) async throws -> (perEvent: Double, longest: Double) {
            let path = directory.appending(path: "backlog-\(count).sqlite").path
            let connection = try BrokerConnection(
                settings: BrokerSettings(host: "127.0.0.1", port: port, clientID: "benchmark-backlog"),
                rules: DeliveryRules(maximumAge: nil, capacity: count),
                store: Outbox(path: path, logger: logger),
                logger: logger
            )
            let payload = [UInt8](repeating: 0x20, count: 600)
            var times = (0..<count).map { _ in
                let start = ContinuousClock.now
                connection.publish(event: MQTTMessage(topic: "benchmark/enter", payload: payload))
                return start.duration(to: .now) / .microseconds(1)
            }
            // The longest ones say how busy the machine and its disk were.
            let last = times.suffix(1000).sorted()
            times.sort()
            let start = ContinuousClock.now
            try connection.start()
            try await waitForAcknowledgements(of: connection, atLeast: count)
            let perEvent = start.duration(to: .now) / .microseconds(1) / Double(count)
            _ = await connection.stop()
            let texts = [times[count / 2], last[500], last[990], times[count - 1], perEvent].map {
                String(format: "%.0f", $0)
            }
            print(
                "\(count) events: publishing \(texts[0]) µs each; of the last 1000 half within \(texts[1]), "
                    + "99 % within \(texts[2]) µs; longest \(texts[3]) µs; delivering \(texts[4]) µs each"
            )
            return (perEvent, times[count - 1])
        }

        private func connect(_ name: String, store: any EventStore, logger: Logger) async throws -> BrokerConnection {
            let settings = BrokerSettings(host: "127.0.0.1", port: port, clientID: "benchmark-\(name)")
            let connection = try BrokerConnection(settings: settings, store: store, logger: logger)
            try connection.start()
            _ = await connection.occurrences.first { $0.state?.isConnected == true }
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
