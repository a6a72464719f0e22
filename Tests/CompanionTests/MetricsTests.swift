import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import MQTT
import Testing

@testable import Companion

@Suite("Figures for Prometheus")
struct MetricsTests {
    private static let time = Timestamp(nanoseconds: 1_795_234_353_120_456_789)

    private func encoder(_ camera: String) -> MessageEncoder {
        MessageEncoder(camera: camera, boot: camera)
    }

    private func status(_ state: DaemonStatus.CameraState, reason: String? = nil) -> DaemonStatus {
        var status = DaemonStatus(state: .online, cameraState: state, reason: reason)
        (status.detect, status.version, status.attention, status.time) = (true, "1.0", [.tooDark], Self.time)
        return status
    }

    private func table() -> CameraTable {
        var table = CameraTable()
        var today = DayTotals(since: Self.time)
        (today.visits, today.mostFaces) = (1, 3)
        _ = table.take(connected)
        let front = encoder("front")
        for message in [front.status(status(.streaming)), front.count(2), front.today(today), front.stats(figures)] {
            _ = table.take(occurrence(message, under: "front/faces"))
        }
        return table
    }

    @Test("a camera's condition and figures are samples with its base and its name")
    func samples() {
        let text = table().metrics
        let labels = #"base="front/faces",camera="front""#
        for line in [
            "facet_broker_connected 1", "facet_up{\(labels)} 1", "facet_camera_streaming{\(labels)} 1",
            "facet_detection_on{\(labels)} 1", "facet_faces{\(labels)} 2", "facet_cpu_ratio{\(labels)} 0.125",
            #"facet_attention{\#(labels),reason="too_dark"} 1"#, "facet_frames_captured_total{\(labels)} 1800",
            #"facet_frames_dropped_total{\#(labels),reason="late"} 10"#, "facet_messages_sent_total{\(labels)} 12",
            #"facet_messages_dropped_total{\#(labels),reason="overflow"} 2"#,
            #"facet_stage_max_seconds{\#(labels),stage="detect"} 0.009"#,
            "facet_resident_memory_bytes{\(labels)} 92000000", "facet_visits_today{\(labels)} 1",
            "facet_faces_most_today{\(labels)} 3",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("each metric has its help and type once, before all its samples")
    func format() {
        var table = table()
        _ = table.take(occurrence(encoder("porch").status(status(.lost, reason: "busy")), under: "porch/faces"))
        var seen: Set<Substring> = []
        var current: Substring = ""
        for line in table.metrics.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP") {
                current = words[2]
                #expect(seen.insert(current).inserted, "\(current) twice")
            } else if line.hasPrefix("# TYPE") {
                #expect(words[2] == current)
                #expect((words[3] == "counter") == current.hasSuffix("_total"), "\(current)")
            } else {
                #expect(line.prefix { $0 != "{" && $0 != " " } == current)
                #expect(words.last.flatMap { Double($0) } != nil, "\(line)")
            }
        }
        let text = table.metrics
        #expect(text.contains(#"facet_camera_lost{base="porch/faces",camera="porch",reason="busy"} 1"#))
        #expect(!table.metrics.contains(#"facet_faces{base="porch/faces""#), "nobody looks there")
    }

    @Test("a daemon that is gone has no figures any more, and none of them outlives the broker")
    func gone() {
        var table = table()
        _ = table.take(occurrence(encoder("front").status(DaemonStatus(state: .offline)), under: "front/faces"))
        #expect(table.metrics.contains(#"facet_up{base="front/faces",camera="front"} 0"#))
        #expect(!table.metrics.contains("facet_frames_captured_total"))
        #expect(!table.metrics.contains("facet_faces{"))
        _ = table.take(occurrence(MQTTMessage(topic: "front/faces/status", payload: [])))
        #expect(!table.metrics.contains("facet_up"), "its retained status was removed")
        table = self.table()
        var stopped = status(.streaming)
        stopped.state = .stopped
        _ = table.take(occurrence(encoder("front").status(stopped), under: "front/faces"))
        #expect(table.metrics.contains(#"facet_camera_streaming{base="front/faces",camera="front"} 0"#))
        #expect(!table.metrics.contains("facet_faces{"), "a count that nobody keeps up")
        table = self.table()
        _ = table.take(.connection(.disconnected("gone")))
        #expect(
            table.metrics.split(separator: "\n").filter { !$0.hasPrefix("#") } == [
                "facet_broker_connected 0", "facet_messages_refused_total 0",
            ]
        )
    }

    @Test("what a name holds cannot break a line")
    func escaping() {
        var table = CameraTable()
        _ = table.take(occurrence(encoder("a \"b\"\\\n").status(status(.streaming)), under: "x/faces"))
        #expect(table.metrics.contains(#"facet_up{base="x/faces",camera="a \"b\"\\\n"} 1"#))
        // CR LF, and a letter with a combining mark, are one `Character` each, and still need escaping. What a terminal
        // would obey is left out.
        table = CameraTable()
        _ = table.take(
            occurrence(encoder("a\r\nb\"\u{301}\\\u{301}").status(status(.streaming)), under: "x/faces")
        )
        let text = table.metrics
        #expect(text.contains("facet_up{base=\"x/faces\",camera=\"a \\nb\\\"\u{301}\\\\\u{301}\"} 1\n"))
    }

    @Test("what is no message of the contract is counted")
    func garbage() {
        var table = table()
        for payload in ["{}", "x", "[1]"] {
            _ = table.take(occurrence(MQTTMessage(topic: "front/faces/stats", payload: Array(payload.utf8))))
        }
        #expect(table.metrics.contains("\nfacet_messages_refused_total 3\n"))
        #expect(table.metrics.contains("facet_frames_captured_total{"))
    }
}
