import ArgumentParser
import FaceMessages
import Foundation

struct Metrics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the figures of all cameras to a file for Prometheus.",
        discussion: """
            Keeps a file in Prometheus' text format up to date, for the textfile collector of node_exporter. It is \
            replaced as a whole, so that no reader gets half of it. Runs until it is ended; the file then is removed. While the \
            broker is away, the file says facet_broker_connected 0 and nothing else.

            All cameras are those under faces and +/faces; --topic names others. Figures come from faces/stats: they are as \
            fresh as the daemon's stats.interval, and are left out while a daemon is not online.

            Examples:
              facet metrics -o /var/lib/prometheus/node-exporter/facet.prom
              facet metrics --mqtt mqtts://viewer@broker.example -o facet.prom
            """
    )

    @Option(name: .shortAndLong, help: ArgumentHelp("The file, which must end in .prom.", valueName: "file"))
    var output: String

    @Option(help: ArgumentHelp("How often the file is written, in seconds (1 to 3600).", valueName: "seconds"))
    var interval = 15.0

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard (1...3600).contains(interval) else {
            throw ValidationError("--interval must be 1 to 3600 seconds, not \(interval)")
        }
    }

    func run() async throws {
        try OutputPath.check(output, endings: ["prom"], what: "figures")
        let subscriber = try Subscriber(
            broker,
            command: "metrics",
            topics: [.status, .stats, .count, .zones, .today, .detectState],
            patterns: try await broker.bases(command: "metrics")
        )
        defer { try? FileManager.default.removeItem(atPath: output) }
        var table = CameraTable()
        try await subscriber.follow(every: .seconds(interval)) { input in
            if case .occurrence(let occurrence) = input.content {
                _ = table.take(occurrence)
            } else {
                try OutputPath.write(MetricsPage(table).text, to: output)
            }
            return true
        }
    }
}
