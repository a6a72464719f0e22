package import FaceMessages
import Foundation
import MQTT

/// The figures of all cameras, in Prometheus' text format 0.0.4.
package struct MetricsPage {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The cameras by their bases, in the order in which they are written.
    let cameras: [(base: String, state: CameraState)]
    let isConnected: Bool
    /// Messages that break the contract or came of too many cameras.
    let refused: Int

    package init(cameras: [(base: String, state: CameraState)], isConnected: Bool, refused: Int) {
        self.cameras = cameras
        self.isConnected = isConnected
        self.refused = refused
    }

    /// The whole page; a metric's lines stand together, as the format asks for.
    package var text: String {
        var page = "# HELP facet_broker_connected Whether facet is connected to the broker.\n"
        page += "# TYPE facet_broker_connected gauge\nfacet_broker_connected \(isConnected ? 1 : 0)\n"
        page += "# HELP facet_messages_refused_total Messages that break the contract or came of too many cameras.\n"
        page += "# TYPE facet_messages_refused_total counter\nfacet_messages_refused_total \(refused)\n"
        for metric in Self.metrics {
            var lines = ""
            for (base, camera) in cameras {
                let labels = [("base", base), ("camera", camera.name ?? "")]
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

extension MetricsPage {
    package init(_ table: CameraTable) {
        self.init(cameras: table.sorted, isConnected: table.connection.isConnected, refused: table.refused)
    }
}

// MARK: - The metrics

extension MetricsPage {
    private typealias Sample = (labels: [(String, String)], value: Double)

    private struct Metric {
        let name: String
        let kind: String
        let help: String
        let samples: (CameraState) -> [Sample]
    }

    private static func gauge(_ name: String, _ help: String, _ value: @escaping (CameraState) -> Double?) -> Metric {
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
                $0.status.map { $0.state == .online ? 1 : 0 }
            },
            gauge("camera_streaming", "Whether frames come.") { camera in
                camera.status.map { _ in camera.condition == .streaming ? 1 : 0 }
            },
            gauge("detection_on", "Whether detection is on.") { $0.isDetecting.map { $0 ? 1 : 0 } },
            Metric(name: "facet_camera_lost", kind: "gauge", help: "1 while the camera is lost, by reason.") { camera in
                camera.status?.reason.map { [([("reason", $0)], 1)] } ?? []
            },
            Metric(name: "facet_attention", kind: "gauge", help: "1 for each reason why some events cannot fire.") {
                camera in (camera.status?.attention ?? []).map { ([("reason", $0.rawValue)], 1) }
            },
            Metric(name: "facet_info", kind: "gauge", help: "The daemon's version and the id of its run.") { camera in
                guard let version = camera.status?.version, let boot = camera.boot else { return [] }
                return [([("version", version), ("boot", boot)], 1)]
            },
            gauge("faces", "How many faces are there.") { $0.faceCount.map(Double.init) },
            Metric(name: "facet_zone_faces", kind: "gauge", help: "How many faces are in a zone.") { camera in
                camera.zones.map { ([("zone", $0.name)], Double($0.faces)) }
            },
            gauge("visits_today", "Visits that ended since local midnight.") { $0.today.map { Double($0.visits) } },
            gauge("looks_today", "Looks of these visits.") { $0.today.map { Double($0.looks) } },
            gauge("looking_seconds_today", "How long these looks lasted.") { $0.today?.lookingSeconds },
            gauge("smiles_today", "Smiles of these visits.") { $0.today.map { Double($0.smiles) } },
            gauge("faces_most_today", "The most faces at once since local midnight.") {
                $0.today.map { Double($0.mostFaces) }
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
            gauge("decoding_cpu_ratio", "What of it went into decoding pictures.") { $0.stats?.cpuDecoding },
            gauge("analysis_cpu_ratio", "What of it went into looking for faces.") { $0.stats?.cpuAnalysis },
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
