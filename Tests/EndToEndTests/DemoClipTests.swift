import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import FoundationNetworking
import MQTT
import Testing

/// What `demo-clip` wrote down of its clip.
private struct ClipTimeline: Decodable {
    struct Moment: Decodable { var frame: Int }
    struct Stretch: Decodable { var start: Moment; var end: Moment }
    struct Blink: Decodable { var first: Moment; var last: Moment }
    struct Tilt: Decodable { var peak: Moment; var roll: Double }

    var enter: Moment
    var tilt: Tilt
    var smiles: [Stretch]
    var blinks: [Blink]
    var leave: Moment
}

@Suite(
    "The demo's clip through a real broker",
    .serialized,
    .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup")
)
struct DemoClipTests {
    @Test("what subscribers get is what the clip shows", .timeLimit(.minutes(10)))
    func clipToSubscriber() async throws {
        let directory = try TemporaryDirectory()
        let clip = directory.file("portrait.mp4")
        let notes = directory.file("portrait.json")
        let making = try await BuiltProgram.run("demo-clip", ["--timeline", notes, clip])
        try #require(making.status == 0, "\(making.output)")
        let timeline = try JSONDecoder().decode(ClipTimeline.self, from: Data(contentsOf: URL(filePath: notes)))

        let broker = try await MosquittoBroker()
        let subscriber = try await broker.subscriber()
        let daemon = try await BuiltProgram.run(
            "facetd",
            ["--source", clip, "--pace", "asap", "--mqtt", "mqtt://127.0.0.1:\(broker.port)"],
            environment: ["XDG_STATE_HOME": directory.path]
        )
        #expect(daemon.status == 0, "\(daemon.output)")
        let received = try await collect(from: subscriber)
        _ = await subscriber.stop()
        check(received, against: timeline)
    }

    @Test("facet demo shows the page, and a lamp that goes on with the smile", .timeLimit(.minutes(10)))
    func demo() async throws {
        let directory = try TemporaryDirectory()
        // A picture that smiles, however slow the machine is.
        let portrait = "/usr/local/share/facet/astronaut.png"
        // Alone in a directory it finds no facetd, and looks for faces itself.
        let alone = directory.file("facet")
        try FileManager.default.copyItem(atPath: BuildProducts.program("facet"), toPath: alone)
        let broken = directory.file("mosquitto")
        try "#!/bin/sh\nexit 1\n".write(toFile: broken, atomically: true, encoding: .utf8)
        chmod(broken, 0o755)
        let paths = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for (program, path, begin) in [
            (BuildProducts.program("facet"), paths, "broker: mosquitto"),
            (BuildProducts.program("facet"), "\(directory.path):\(paths)", "mosquitto or facetd cannot be started"),
            (alone, paths, "mosquitto or facetd cannot be started"),
        ] {
            let demo = try await ChildProcess(
                program,
                ["demo", "--source", portrait, "--no-browser"],
                environment: ["PATH": path]
            )
            try await demo.waitForOutput("page: ")
            #expect(demo.output.hasPrefix(begin), "\(demo.output)")
            let page = try #require(demo.output.firstMatch(of: /page: (\S+)/)?.1)
            let (html, _) = try await URLSession.shared.data(from: try #require(URL(string: String(page))))
            #expect(String(decoding: html, as: UTF8.self).contains("id=\"cameras\""))
            try await demo.waitForOutput("the lamp is on")
            // Events are written to the outbox before they are sent, so the metadata may come first.
            try await demo.waitForOutput(" enter ")
            demo.signal(SIGTERM)
            await demo.waitUntilEnded()
            #expect(demo.exitStatus == 0 && demo.output.contains(/seen: .*1 enter/), "\(demo.output)")
            #expect(demo.output.contains("What to type next"))
        }
        let state = ["XDG_STATE_HOME": directory.path]
        let daemon = try await BuiltProgram.start("facetd", ["--source", portrait], environment: state)
        try await daemon.waitForOutput("looking for one on this machine")
        daemon.signal(SIGTERM)
        await daemon.waitUntilEnded()
    }

    @Test("facet demo ends with the daemon's reason where that cannot use the source", .timeLimit(.minutes(5)))
    func unusableSource() async throws {
        let demo = try await ChildProcess(
            BuildProducts.program("facet"),
            ["demo", "--source", "/nonexistent/clip.mp4", "--no-browser"]
        )
        await demo.waitUntilEnded()
        #expect(demo.exitStatus == 1 && demo.output.contains("/nonexistent/clip.mp4"), "\(demo.output)")
    }

    @Test("the broker and the daemon of facet demo end with it, whatever ends it", .timeLimit(.minutes(5)))
    func killedDemo() async throws {
        let temporary = try TemporaryDirectory()
        let demo = try await ChildProcess(
            BuildProducts.program("facet"),
            ["demo", "--source", "/usr/local/share/facet/astronaut.png", "--no-browser"],
            environment: ["TMPDIR": temporary.path]
        )
        try await demo.waitForOutput("page: ")
        let port = try #require(demo.output.firstMatch(of: /mqtt:\/\/127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) })
        let settings = BrokerSettings(host: "127.0.0.1", port: port, clientID: "witness")
        let witness = try BrokerConnection(settings: settings, logger: .silent)
        try witness.start()
        _ = await witness.occurrences.first { $0.state?.isConnected == true }
        kill(demo.identifier, SIGKILL)
        _ = await witness.occurrences.first { $0.state?.isConnected == false }
        _ = await witness.stop()
        // Its own connection to the broker may leave a directory, if the kill came while it was made.
        while try FileManager.default.contentsOfDirectory(atPath: temporary.path).contains(where: {
            $0.hasPrefix("facet-demo-")
        }) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Everything up to the daemon's last word.
    private func collect(from subscriber: BrokerConnection) async throws -> [DaemonMessage] {
        var messages: [DaemonMessage] = []
        var counted = 0
        for await case .message(let message) in subscriber.occurrences {
            let topic = try #require(Topic(rawValue: String(message.topic.dropFirst("faces/".count))))
            let decoded = try MessageDecoder().decode(message.payload, on: topic)
            messages.append(decoded)
            if case .status(let status, _) = decoded, status.state == .stopped { counted += 1 }
            if case .event(let event) = decoded, case .leave = event.event.kind { counted += 1 }
            // Events wait for their acknowledgements, so the leave may come after the status.
            if counted == 2 { break }
        }
        return messages
    }

    private func check(_ received: [DaemonMessage], against timeline: ClipTimeline) {
        var events: [EventMessage] = []
        var metadata: [MetadataMessage] = []
        for message in received {
            if case .event(let event) = message { events.append(event) }
            if case .metadata(let message) = message { metadata.append(message) }
        }
        let enters = events.filter { $0.event.kind == .enter }.map(\.event.stamp.frame)
        let smiles = events.filter { $0.event.kind == .smile }.map(\.event.stamp.frame)
        let blinks = events.filter { if case .blink = $0.event.kind { true } else { false } }.map(\.event.stamp.frame)
        let leaves = events.filter { if case .leave = $0.event.kind { true } else { false } }.map(\.event.stamp.frame)
        // The face slides in from the edge for up to a second, and out again; an event takes its hold time.
        #expect(enters.count == 1)
        #expect(enters.allSatisfy { abs($0 - timeline.enter.frame) <= 30 }, "\(enters)")
        #expect(smiles.count == timeline.smiles.count)
        for (smile, frame) in zip(timeline.smiles, smiles) {
            #expect((smile.start.frame...smile.end.frame).contains(frame), "smile at \(frame)")
        }
        #expect(blinks.count == timeline.blinks.count)
        for (blink, frame) in zip(timeline.blinks, blinks) {
            #expect((blink.first.frame...blink.last.frame + 3).contains(frame), "blink at \(frame)")
        }
        #expect(leaves.count == 1)
        #expect(leaves.allSatisfy { $0 >= timeline.leave.frame && $0 <= timeline.leave.frame + 60 }, "\(leaves)")
        #expect(Set(events.map(\.event.face.faceID)).count == 1)
        #expect(events.map(\.seq) == Array(1...max(1, events.count)))
        let atPeak = metadata.last { $0.stamp.frame <= timeline.tilt.peak.frame }?.faces.first?.pose?.roll
        #expect(abs((atPeak ?? 0) - timeline.tilt.roll) < 4, "roll \(String(describing: atPeak))")
        #expect(metadata.last?.faces.isEmpty == true)
    }
}
