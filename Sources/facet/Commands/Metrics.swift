import ArgumentParser
import FaceMessages
import FaceMetadata
import Foundation
import Logging
import MQTT
import Synchronization

/// `facet metrics`: the condition and the figures of all cameras, for Prometheus.
struct Metrics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the figures of all cameras to a file for Prometheus.",
        discussion: """
            Keeps a file in Prometheus' text format up to date, for the textfile collector of node_exporter. It is \
            replaced as a whole, so nobody reads half of it. Runs until it is ended; the file then is removed. While the \
            broker is away, the file says facet_broker_connected 0 and nothing else.

            All cameras are those under faces and +/faces; --topic names others. Figures come from faces/stats: they are as fresh as the daemon's stats.interval, and are left out while \
            a daemon is not online.

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
        let connection = try BrokerConnection(
            settings: broker.settings(command: "metrics"),
            logger: Logger(label: "facet") { _ in SwiftLogNoOpLogHandler() }
        )
        for base in broker.patterns(default: BrokerOptions.allCameras) {
            for topic in Self.topics { try connection.subscribe(topic.name(under: base)) }
        }
        try connection.start()
        defer { try? FileManager.default.removeItem(atPath: output) }
        let board = Board()
        let (path, seconds) = (output, interval)
        let (interruptions, interruption) = AsyncStream.makeStream(of: Void.self)
        let signals = Interruption { interruption.finish() }
        defer { signals.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var notices = ConnectionNotices(address: "the broker")
                for await state in connection.states {
                    board.page.withLock { $0.setConnected(state.isConnected) }
                    if let note = try notices.note(state) { StandardOutput.note(note) }
                }
            }
            group.addTask {
                for await message in connection.incoming {
                    guard let topic = Self.topics.first(where: { message.topic.hasSuffix("/" + $0.rawValue) }) else {
                        continue
                    }
                    let base = String(message.topic.dropLast(topic.rawValue.count + 1))
                    do {
                        try board.page.withLock { try $0.take(message.payload, on: topic, under: base) }
                    } catch {
                        StandardOutput.note("\(message.topic): \(error)")
                    }
                }
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: .seconds(seconds))
                    try Self.write(board.page.withLock(\.self), to: path)
                }
            }
            group.addTask { for await _ in interruptions {} }
            // The first to end is the interruption, or the task that fails.
            defer { group.cancelAll() }
            try await group.next()
        }
        _ = await connection.stop()
    }

    /// The page, for the tasks that fill and write it.
    private final class Board: Sendable {
        let page = Mutex(MetricsPage())
    }

    private static let topics: [Topic] = [.status, .stats, .count]

    private static func write(_ page: MetricsPage, to output: String) throws {
        do {
            try Data(page.text.utf8).write(to: URL(filePath: output), options: .atomic)
            // An atomic write makes a file for its owner alone; node_exporter is somebody else.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: output)
        } catch {
            throw CommandFailure("cannot write \(output): \(SystemReason(error))")
        }
    }
}

/// The figures of all cameras, in Prometheus' text format 0.0.4.
struct MetricsPage {
    /// What is known of one camera.
    private struct Camera {
        var status: StatusMessage?
        var stats: DaemonStats?
        var count: Int?

        /// Whether frames come; a daemon that has stopped leaves the camera's last state in its status.
        var isStreaming: Bool { status?.status.state == .online && status?.status.cameraState == .streaming }
    }

    private var cameras: [String: Camera] = [:]
    private var isConnected = false

    /// Notes whether the broker is there; what was known before it went is forgotten, for it may have changed since.
    mutating func setConnected(_ isConnected: Bool) {
        self.isConnected = isConnected
        if !isConnected { cameras = [:] }
    }

    /// Takes a message.
    ///
    /// - Throws: `MessageDecodingError` if it breaks the contract.
    mutating func take(_ payload: [UInt8], on topic: Topic, under base: String) throws(MessageDecodingError) {
        guard !payload.isEmpty else {
            // The broker's way to say that a retained message was removed.
            if topic == .status { cameras[base] = nil }
            return
        }
        switch try MessageDecoder().decode(payload, on: topic) {
        case .status(let message):
            cameras[base, default: Camera()].status = message
            if message.status.state != .online { cameras[base]?.stats = nil }
        case .count(let count): cameras[base, default: Camera()].count = count
        case .stats(let message): cameras[base, default: Camera()].stats = message.stats
        default: break
        }
    }

    /// The whole page; a metric's lines stand together, as the format asks for.
    var text: String {
        var page = "# HELP facet_broker_connected Whether facet metrics is connected to the broker.\n"
        page += "# TYPE facet_broker_connected gauge\nfacet_broker_connected \(isConnected ? 1 : 0)\n"
        for metric in Self.metrics {
            var lines = ""
            for (base, camera) in cameras.sorted(by: { $0.key < $1.key }) {
                let labels = [("base", base), ("camera", camera.status?.origin.camera ?? "")]
                for (extra, value) in metric.samples(camera) {
                    let text = (labels + extra).map { "\($0)=\"\($1.escapedForPrometheus)\"" }.joined(separator: ",")
                    lines += "\(metric.name){\(text)} \(Self.number(value))\n"
                }
            }
            guard !lines.isEmpty else { continue }
            page += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind)\n" + lines
        }
        return page
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }
}

// MARK: - The metrics

extension MetricsPage {
    private typealias Sample = (labels: [(String, String)], value: Double)

    private struct Metric {
        let name: String
        let kind: String
        let help: String
        let samples: (Camera) -> [Sample]
    }

    private static func gauge(_ name: String, _ help: String, _ value: @escaping (Camera) -> Double?) -> Metric {
        Metric(name: "facet_" + name, kind: "gauge", help: help) { camera in value(camera).map { [([], $0)] } ?? [] }
    }

    private static func counter(_ name: String, _ help: String, _ value: @escaping (DaemonStats) -> Int) -> Metric {
        Metric(name: "facet_" + name, kind: "counter", help: help) { $0.stats.map { [([], Double(value($0)))] } ?? [] }
    }

    private static func labelled(
        _ name: String,
        _ kind: String,
        _ help: String,
        by label: String,
        _ values: @escaping (DaemonStats) -> [String: Double]
    ) -> Metric {
        Metric(name: "facet_" + name, kind: kind, help: help) { camera in
            guard let stats = camera.stats else { return [] }
            return values(stats).sorted { $0.key < $1.key }.map { ([(label, $0.key)], $0.value) }
        }
    }

    private static var metrics: [Metric] {
        [
            gauge("up", "Whether the daemon runs and is connected.") {
                $0.status.map { $0.status.state == .online ? 1 : 0 }
            },
            gauge("camera_streaming", "Whether frames come.") { camera in
                camera.status.map { _ in camera.isStreaming ? 1 : 0 }
            },
            gauge("detection_on", "Whether detection is on.") { $0.status?.status.detect.map { $0 ? 1 : 0 } },
            Metric(name: "facet_camera_lost", kind: "gauge", help: "1 while the camera is lost, by reason.") { camera in
                camera.status?.status.reason.map { [([("reason", $0)], 1)] } ?? []
            },
            Metric(name: "facet_attention", kind: "gauge", help: "1 for each reason why some events cannot fire.") {
                camera in (camera.status?.status.attention ?? []).map { ([("reason", $0.rawValue)], 1) }
            },
            Metric(name: "facet_info", kind: "gauge", help: "The daemon's version and the id of its run.") { camera in
                guard let status = camera.status, let version = status.status.version else { return [] }
                return [([("version", version), ("boot", status.origin.boot)], 1)]
            },
            gauge("faces", "How many faces are there.") { camera in
                camera.isStreaming ? camera.count.map(Double.init) : nil
            },
            gauge("uptime_seconds", "Time since the daemon's start.") { $0.stats?.uptime },
            gauge("frame_rate", "Frames captured per second.") { $0.stats?.frameRate },
            gauge("analysis_rate", "Frames analysed per second.") { $0.stats?.analysisRate },
            counter("frames_captured_total", "Frames that the source delivered.") { $0.captured },
            counter("frames_analysed_total", "Frames in which faces were looked for.") { $0.analysed },
            labelled("frames_dropped_total", "counter", "Frames not analysed.", by: "reason") {
                $0.dropped.mapValues(Double.init)
            },
            labelled("stage_mean_seconds", "gauge", "Mean time of a stage of the work per frame.", by: "stage") {
                stats in
                Dictionary(stats.stages.map { ($0.name, $0.mean) }) { $1 }
            },
            labelled("stage_max_seconds", "gauge", "Longest time of a stage of the work.", by: "stage") { stats in
                Dictionary(stats.stages.map { ($0.name, $0.longest) }) { $1 }
            },
            gauge("cpu_ratio", "Processor time over wall time: 1 is one core fully used.") { $0.stats?.cpu },
            gauge("resident_memory_bytes", "Resident memory.") { $0.stats.map { Double($0.residentBytes) } },
            counter("messages_sent_total", "Messages handed to the broker.") { $0.messages.sent },
            gauge("events_queued", "Events that wait for the broker.") { $0.stats.map { Double($0.messages.queued) } },
            counter("events_expired_total", "Events that grew too old while the broker was away.") {
                $0.messages.expired
            },
            labelled("messages_dropped_total", "counter", "Messages dropped.", by: "reason") {
                $0.messages.dropped.mapValues(Double.init)
            },
        ]
    }
}
