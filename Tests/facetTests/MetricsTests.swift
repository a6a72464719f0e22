import FaceMessages
import FaceMetadata
import Foundation
import Testing

@testable import facet

@Suite("Figures for Prometheus")
struct MetricsTests {
    private static let time = Timestamp(nanoseconds: 1_795_234_353_120_456_789)

    private func encoder(_ camera: String) -> MessageEncoder {
        MessageEncoder(camera: camera, boot: ULID.make(at: Self.time))
    }

    private func status(_ state: DaemonStatus.CameraState, reason: String? = nil) -> DaemonStatus {
        DaemonStatus(
            state: .online,
            cameraState: state,
            reason: reason,
            detect: true,
            version: "1.0",
            attention: [.tooDark],
            time: Self.time
        )
    }

    private var stats: DaemonStats {
        var messages = DaemonStats.Messages()
        messages.sent = 12
        messages.dropped = ["overflow": 2]
        return DaemonStats(
            time: Self.time,
            uptime: 60,
            interval: 10,
            frameRate: 29.9,
            analysisRate: 29.5,
            captured: 1800,
            analysed: 1790,
            dropped: ["late": 10],
            stages: [.init(name: "detect", runs: 20, mean: 0.004, longest: 0.009)],
            cpu: 0.125,
            residentBytes: 92_000_000,
            messages: messages
        )
    }

    private func page() throws -> MetricsPage {
        var page = MetricsPage()
        page.setConnected(true)
        let front = encoder("front")
        try page.take(front.status(status(.streaming)).payload, on: .status, under: "front/faces")
        try page.take(front.count(2).payload, on: .count, under: "front/faces")
        try page.take(front.stats(stats).payload, on: .stats, under: "front/faces")
        return page
    }

    @Test("a camera's condition and figures are samples with its base and its name")
    func samples() throws {
        let text = try page().text
        let labels = #"base="front/faces",camera="front""#
        for line in [
            "facet_broker_connected 1", "facet_up{\(labels)} 1", "facet_camera_streaming{\(labels)} 1",
            "facet_detection_on{\(labels)} 1", "facet_faces{\(labels)} 2", "facet_cpu_ratio{\(labels)} 0.125",
            #"facet_attention{\#(labels),reason="too_dark"} 1"#, "facet_frames_captured_total{\(labels)} 1800",
            #"facet_frames_dropped_total{\#(labels),reason="late"} 10"#, "facet_messages_sent_total{\(labels)} 12",
            #"facet_messages_dropped_total{\#(labels),reason="overflow"} 2"#,
            #"facet_stage_max_seconds{\#(labels),stage="detect"} 0.009"#,
            "facet_resident_memory_bytes{\(labels)} 92000000",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("each metric has its help and type once, before all its samples")
    func format() throws {
        var page = try page()
        try page.take(encoder("porch").status(status(.lost, reason: "busy")).payload, on: .status, under: "porch/faces")
        var seen: Set<Substring> = []
        var current: Substring = ""
        for line in page.text.split(separator: "\n") {
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
        #expect(page.text.contains(#"facet_camera_lost{base="porch/faces",camera="porch",reason="busy"} 1"#))
        #expect(!page.text.contains(#"facet_faces{base="porch/faces""#), "nobody looks there")
    }

    @Test("a daemon that is gone has no figures any more, and none of them outlives the broker")
    func gone() throws {
        var page = try page()
        try page.take(encoder("front").status(DaemonStatus(state: .offline)).payload, on: .status, under: "front/faces")
        #expect(page.text.contains(#"facet_up{base="front/faces",camera="front"} 0"#))
        #expect(!page.text.contains("facet_frames_captured_total"))
        #expect(!page.text.contains("facet_faces{"))
        try page.take([], on: .status, under: "front/faces")
        #expect(!page.text.contains("facet_up"), "its retained status was removed")
        page = try self.page()
        var stopped = status(.streaming)
        stopped.state = .stopped
        try page.take(encoder("front").status(stopped).payload, on: .status, under: "front/faces")
        #expect(page.text.contains(#"facet_camera_streaming{base="front/faces",camera="front"} 0"#))
        #expect(!page.text.contains("facet_faces{"), "a count that nobody keeps up")
        page = try self.page()
        page.setConnected(false)
        #expect(page.text.split(separator: "\n").filter { !$0.hasPrefix("#") } == ["facet_broker_connected 0"])
    }

    @Test("what a name holds cannot break a line")
    func escaping() throws {
        var page = MetricsPage()
        try page.take(encoder("a \"b\"\\\n").status(status(.streaming)).payload, on: .status, under: "x/faces")
        #expect(page.text.contains(#"facet_up{base="x/faces",camera="a \"b\"\\\n"} 1"#))
        // CR LF and a mark with what it stands on are one character each, and act all the same.
        page = MetricsPage()
        try page.take(
            encoder("a\r\nb\"\u{301}\\\u{301}").status(status(.streaming)).payload,
            on: .status,
            under: "x/faces"
        )
        #expect(page.text.contains("facet_up{base=\"x/faces\",camera=\"a\r\\nb\\\"\u{301}\\\\\u{301}\"} 1\n"))
    }

    @Test("what is no message of the contract is an error")
    func garbage() {
        var page = MetricsPage()
        for payload in ["{}", "x", "[1]"] {
            #expect(throws: (any Error).self) { try page.take(Array(payload.utf8), on: .stats, under: "x") }
        }
    }
}
