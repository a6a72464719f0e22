/// Metrics of all cameras in Prometheus' text format 0.0.4.
package enum MetricsPage {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The whole page. Each metric's lines are together, as the format demands. `refused` is the number of messages
    /// that were malformed or from cameras beyond the maximum number.
    package static func text(_ cameras: [CameraTable.Camera], isConnected: Bool, refused: Int) -> String {
        let connected = "Whether facet is connected to the broker."
        let reason = "Messages that break the contract or came of too many cameras."
        return lines("facet_broker_connected", "gauge", connected, [("", isConnected ? 1 : 0)])
            + lines("facet_messages_refused_total", "counter", reason, [("", Double(refused))])
            + metrics.map { metric in
                let samples = cameras.flatMap { base, camera in
                    metric.samples(camera).map { sample in
                        let labels = [("base", base), ("camera", camera.name ?? "")] + sample.labels
                        let texts = labels.map { "\($0)=\"\($1.escapedForPrometheus)\"" }
                        return ("{\(texts.joined(separator: ","))}", sample.value)
                    }
                }
                return lines(metric.name, metric.kind, metric.help, samples)
            }.joined()
    }

    /// The lines of one metric. Each sample has its labels as text, and its value.
    private static func lines(_ name: String, _ kind: String, _ help: String, _ samples: [(String, Double)]) -> String {
        guard !samples.isEmpty else { return "" }
        let lines = samples.map { labels, value in "\(name)\(labels) \(number(value))\n" }.joined()
        return "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n" + lines
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }

    // MARK: - The metrics

    private typealias Sample = (labels: [(String, String)], value: Double)
    private typealias Metric = (name: String, kind: String, help: String, samples: (CameraState) -> [Sample])

    private static func metric(
        _ name: String,
        _ help: String,
        kind: String = "gauge",
        by labels: String...,
        values: @escaping (CameraState) -> [([String], Double)]
    ) -> Metric { ("facet_" + name, kind, help, { values($0).map { (Array(zip(labels, $0)), $1) } }) }

    private static func gauge(_ name: String, _ help: String, _ value: @escaping (CameraState) -> Double?) -> Metric {
        metric(name, help) { camera in value(camera).map { [([], $0)] } ?? [] }
    }

    private static func counter(_ name: String, _ help: String, _ value: @escaping (DaemonStats) -> Int) -> Metric {
        metric(name, help, kind: "counter") { $0.stats.map { [([], Double(value($0)))] } ?? [] }
    }

    private static func drops(_ name: String, _ help: String, _ values: KeyPath<DaemonStats, [String: Int]>) -> Metric {
        metric(name, help, kind: "counter", by: "reason") { camera in
            (camera.stats?[keyPath: values] ?? [:]).sorted { $0.key < $1.key }.map { ([$0.key], Double($0.value)) }
        }
    }

    private static func stages(_ name: String, _ help: String, _ time: KeyPath<DaemonStats.Stage, Double>) -> Metric {
        metric(name, help, by: "stage") { camera in
            let times = Dictionary((camera.stats?.stages ?? []).map { ($0.name, $0[keyPath: time]) }) { $1 }
            return times.sorted { $0.key < $1.key }.map { ([$0.key], $0.value) }
        }
    }

    private static var metrics: [Metric] {
        [
            gauge("up", "Whether the daemon runs and is connected.") { $0.status.map { $0.state == .online ? 1 : 0 } },
            gauge("camera_streaming", "Whether frames come.") { camera in
                camera.status.map { _ in camera.condition == .streaming ? 1 : 0 }
            },
            gauge("detection_on", "Whether detection is on.") { $0.isDetecting.map { $0 ? 1 : 0 } },
            metric("camera_lost", "1 while the camera is lost, by reason.", by: "reason") {
                $0.status?.reason.map { [([$0], 1)] } ?? []
            },
            metric("attention", "1 for each reason why some events cannot fire.", by: "reason") {
                ($0.status?.attention ?? []).map { ([$0.rawValue], 1) }
            },
            metric("info", "The daemon's version and the id of its run.", by: "version", "boot") { camera in
                guard let version = camera.status?.version, let boot = camera.boot else { return [] }
                return [([version, boot], 1)]
            },
            gauge("faces", "How many faces are there.") { $0.faceCount.map(Double.init) },
            metric("zone_faces", "How many faces are in a zone.", by: "zone") {
                $0.zones.map { ([$0.name], Double($0.faces)) }
            },
            gauge("visits_today", "Visits that ended since local midnight.") { $0.today.map { Double($0.visits) } },
            gauge("looks_today", "Looks that began since local midnight.") { $0.today.map { Double($0.looks) } },
            gauge("looking_seconds_today", "Seconds of looks that ended since midnight.") { $0.today?.lookingSeconds },
            gauge("smiles_today", "Smiles since local midnight.") { $0.today.map { Double($0.smiles) } },
            gauge("faces_most_today", "The most faces at once since local midnight.") {
                $0.today.map { Double($0.mostFaces) }
            },
            gauge("uptime_seconds", "Time since the daemon's start.") { $0.stats?.uptime },
            gauge("frame_rate", "Frames captured per second.") { $0.stats?.frameRate },
            gauge("analysis_rate", "Frames analysed per second.") { $0.stats?.analysisRate },
            counter("frames_captured_total", "Frames that the source delivered.") { $0.captured },
            counter("frames_analysed_total", "Frames in which faces were looked for.") { $0.analysed },
            drops("frames_dropped_total", "Frames not analysed.", \.dropped),
            stages("stage_mean_seconds", "Mean time of a stage of the work per frame.", \.mean),
            stages("stage_max_seconds", "Longest time of a stage of the work.", \.longest),
            gauge("cpu_ratio", "Processor time over wall time: 1 is one core fully used.") { $0.stats?.cpu },
            gauge("decoding_cpu_ratio", "What of it went into decoding pictures.") { $0.stats?.cpuDecoding },
            gauge("analysis_cpu_ratio", "What of it went into looking for faces.") { $0.stats?.cpuAnalysis },
            gauge("resident_memory_bytes", "Resident memory.") { $0.stats.map { Double($0.residentBytes) } },
            counter("messages_sent_total", "Messages handed to the broker.") { $0.messages.sent },
            gauge("events_queued", "Events that wait for the broker.") { $0.stats.map { Double($0.messages.queued) } },
            counter("events_expired_total", "Events that grew too old while the broker was away.") {
                $0.messages.expired
            },
            drops("messages_dropped_total", "Messages dropped.", \.messages.dropped),
        ]
    }
}

extension CameraTable {
    var metrics: String { MetricsPage.text(sorted, isConnected: connection.isConnected, refused: refused) }
}
