import FacetTestSupport
import Foundation
import Logging
import MQTT
import Testing

@Suite("A running facetd", .serialized)
struct RunningDaemonTests {
    private let portrait = ["--source", "/usr/local/share/facet/astronaut.png", "--loop", "--print"]

    @Test("SIGINT and SIGTERM end it in good order", .timeLimit(.minutes(5)), arguments: [SIGINT, SIGTERM])
    func signals(signal: Int32) async throws {
        let program = try await BuiltProgram.start("facetd", portrait + ["--no-mqtt"])
        try await program.waitForOutput("faces/enter")
        program.signal(signal)
        await program.waitUntilEnded()
        #expect(program.result.status == 0, "\(program.output)")
        let leave = program.messages.first { $0.topic == "faces/leave" }
        #expect(leave?.payload?.reason == "shutdown")
        #expect(program.messages.last { $0.topic == "faces/status" }?.payload?.state == "stopped")
    }

    @Test(
        "a picture file sends its metadata once, again when its face looks, and the empty set at the end",
        .timeLimit(.minutes(5))
    )
    func pictureFile() async throws {
        // One second of a picture at 30 frames a second: nothing else changes after the enter.
        let program = try await BuiltProgram.start(
            "facetd",
            ["--source", "/usr/local/share/facet/astronaut.png", "--print", "--no-mqtt", "--pace", "asap"]
        )
        await program.waitUntilEnded()
        let sets = program.messages.filter { $0.topic == "faces/metadata" }.map { $0.payload?.faces?.count }
        #expect(sets == [1, 1, 0])
        #expect(program.messages.count { $0.topic == "faces/look" } == 1)
    }

    @Test("the service manager hears of readiness, the source and the end", .timeLimit(.minutes(5)))
    func serviceManager() async throws {
        let receiver = try DatagramReceiver()
        let program = try await BuiltProgram.start(
            "facetd",
            portrait + ["--no-mqtt"],
            environment: ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "1000000"]
        )
        try await program.waitForOutput("faces/enter")
        program.signal(SIGTERM)
        let told = await receiver.datagrams(until: "STOPPING=1")
        #expect(told.contains("STATUS=camera starting"))
        #expect(told.count { $0 == "READY=1" } == 1)
        #expect(told.contains { $0.hasPrefix("STATUS=camera streaming: ") })
        #expect(told.contains("WATCHDOG=1"))
        await program.waitUntilEnded()
        #expect(program.result.status == 0)
    }

    @Test("SIGHUP takes new settings, and keeps the running ones if the file is bad", .timeLimit(.minutes(5)))
    func reload() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("detection: {maximumFaces: 1}\n", to: "facetd.yaml")
        let program = try await BuiltProgram.start("facetd", portrait + ["--no-mqtt", "--config", file])
        try await program.waitForOutput("faces/enter")
        _ = try directory.write("detection: {maximumFaces: none}\n", to: "facetd.yaml")
        program.signal(SIGHUP)
        try await program.waitForOutput("the running ones stay")
        #expect(unlink(file) == 0 && mkfifo(file, 0o600) == 0)
        program.signal(SIGHUP)
        try await program.waitForOutput("it is a pipe or a device")
        #expect(unlink(file) == 0)
        _ = try directory.write("camera: {mirror: true, name: other}\n", to: "facetd.yaml")
        program.signal(SIGHUP)
        try await program.waitForOutput("\"faceID\":2")
        #expect(program.output.contains("need a restart"))
        program.signal(SIGTERM)
        await program.waitUntilEnded()
        #expect(program.result.status == 0)
        let leaves = program.messages.filter { $0.topic == "faces/leave" }.map { $0.payload?.reason }
        #expect(leaves == ["restart", "shutdown"])
    }

    @Test("a SIGHUP while it starts is a reload, not its end", .timeLimit(.minutes(5)))
    func earlyReload() async throws {
        let broker = try await MosquittoBroker()
        let directory = try TemporaryDirectory()
        let outbox = directory.file("outbox")
        let program = try await BuiltProgram.start(
            "facetd",
            ["--source", "/usr/local/share/facet/astronaut.png", "--loop", "--mqtt", "mqtt://127.0.0.1:\(broker.port)"]
                + ["--set", "outbox.path=\(outbox)"]
        )
        // The models are loaded after the outbox is made.
        while program.isRunning, !FileManager.default.fileExists(atPath: outbox) { await Task.yield() }
        program.signal(SIGHUP)
        try await program.waitForOutput("settings reloaded")
        program.signal(SIGTERM)
        await program.waitUntilEnded()
        #expect(program.result.status == 0, "\(program.output)")
    }

    @Test("other zones take effect on SIGHUP, and faces stay who they are", .timeLimit(.minutes(5)))
    func zones() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("zones: {left: {area: [0, 0, 0.7, 1]}}\n", to: "facetd.yaml")
        let program = try await BuiltProgram.start("facetd", portrait + ["--no-mqtt", "--config", file])
        try await program.waitForOutput("faces/zone_enter")
        _ = try directory.write(
            "zones: {all: {area: [0, 0, 1, 1]}, right: {area: [0.7, 0, 0.3, 1]}}\n",
            to: "facetd.yaml"
        )
        program.signal(SIGHUP)
        try await program.waitForOutput("\"zone\":\"all\"")
        _ = try directory.write("ignore: {all: [0, 0, 1, 1]}\n", to: "facetd.yaml")
        program.signal(SIGHUP)
        try await program.waitForOutput("faces/leave")
        program.signal(SIGTERM)
        await program.waitUntilEnded()
        let topics = program.messages.map(\.topic).filter {
            ["faces/enter", "faces/zone_enter", "faces/zone_leave", "faces/leave"].contains($0)
        }
        #expect(
            topics.map { $0.dropFirst(6) } == [
                "enter", "zone_enter", "zone_leave", "zone_enter", "zone_leave", "leave",
            ]
        )
        // Two lists with the zones and their numbers, and an empty one.
        let lists = program.output.split(separator: "\n").filter { $0.hasPrefix("{\"topic\":\"faces/zones\"") }
        #expect(lists.contains { $0.contains("\"name\":\"left\",\"faces\":1") }, "\(lists)")
        #expect(lists.contains { $0.contains("\"name\":\"right\",\"faces\":0") }, "\(lists)")
        #expect(lists.last?.contains("\"zones\":[]") == true, "\(lists)")
    }

    @Test(
        "Home Assistant gets the entities of other fields and of the preview on SIGHUP",
        .timeLimit(.minutes(5)),
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup")
    )
    func discovery() async throws {
        let directory = try TemporaryDirectory()
        let broker = try await MosquittoBroker()
        let subscriber = try await broker.subscriber()
        try subscriber.subscribe("homeassistant/#")
        let announced = subscriber.occurrences.compactMap(\.message).filter { $0.topic.hasPrefix("homeassistant") }
        var messages = announced.map { String(decoding: $0.payload, as: UTF8.self) }.makeAsyncIterator()
        let text = "homeassistant: {discovery: true}\nmqtt: {brokers: [\"mqtt://127.0.0.1:\(broker.port)\"]}\n"
        let file = try directory.write(text, to: "facetd.yaml")
        let state = ["XDG_STATE_HOME": directory.path]
        let program = try await BuiltProgram.start("facetd", portrait + ["--config", file], environment: state)
        let first = try #require(await messages.next())
        #expect(!first.contains("preview/jpeg") && first.contains("face.looking"))
        _ = try directory.write(text + "preview: {enabled: true}\nmetadata: {fields: []}\n", to: "facetd.yaml")
        program.signal(SIGHUP)
        let second = try #require(await messages.next())
        #expect(second.contains("preview/jpeg") && !second.contains("face.looking"))
        program.signal(SIGTERM)
        await program.waitUntilEnded()
        _ = await subscriber.stop()
    }

    @Test("closing the terminal in which it was started ends it", .timeLimit(.minutes(5)))
    func closedTerminal() async throws {
        let terminal = try PseudoTerminal()
        // Nothing is printed there: a message that cannot be written may be noticed first.
        let program = try await terminal.start(
            "setsid",
            ["--ctty", BuildProducts.program("facetd"), "--source", "/usr/local/share/facet/astronaut.png", "--loop"]
                + ["--no-mqtt"]
        )
        try await program.waitForOutput("camera streaming")
        try terminal.hangUp()
        await program.waitUntilEnded()
        #expect(program.result.status == 0)
        #expect(program.output.contains("the terminal was closed"))
    }

    @Test("it ends and says why once nobody reads its messages any more", .timeLimit(.minutes(5)))
    func goneReader() async throws {
        let facetd = BuildProducts.program("facetd")
        let program = try await ChildProcess(
            "/bin/bash",
            ["-o", "pipefail", "-c", "\"$0\" \"$@\" | head -n 1", facetd] + portrait + ["--no-mqtt"]
        )
        await program.waitUntilEnded()
        #expect(program.output.contains("the reader of what is printed has gone"))
        #expect(program.result.status == 0)
    }

    @Test("it ends in good order also where its messages went to the terminal that was closed", .timeLimit(.minutes(5)))
    func closedTerminalOfErrors() async throws {
        let terminal = try PseudoTerminal()
        let program = try await ChildProcess(
            "/bin/sh",
            ["-c", "exec setsid --ctty \"$@\" <\"$0\" 2>\"$0\"", terminal.path, BuildProducts.program("facetd")]
                + portrait + ["--no-mqtt"]
        )
        try await program.waitForOutput("faces/enter")
        try terminal.hangUp()
        await program.waitUntilEnded()
        #expect(program.result.status == 0)
        #expect(program.output.contains("\"reason\":\"shutdown\""))
    }

    @Test("a broker that is not there is waited for with one line in the log", .timeLimit(.minutes(5)))
    func noBroker() async throws {
        let directory = try TemporaryDirectory()
        let port = try LoopbackPort.free()
        let program = try await BuiltProgram.start(
            "facetd",
            portrait + ["--mqtt", "mqtt://127.0.0.1:\(port)"],
            environment: ["XDG_STATE_HOME": directory.path]
        )
        try await program.waitForOutput("faces/enter")
        try await program.waitForOutput("refused")
        program.signal(SIGINT)
        await program.waitUntilEnded()
        #expect(program.result.status == 0, "\(program.output)")
        #expect(program.output.split(separator: "\n").filter { $0.contains("MQTT disconnected") }.count <= 1)
    }

    @Test(
        "a wrong password is said to be one, and nobody's secret is shown",
        .timeLimit(.minutes(5)),
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup")
    )
    func wrongPassword() async throws {
        let directory = try TemporaryDirectory()
        var options = MosquittoBroker.Options()
        options.users = ["lamp": "right"]
        let broker = try await MosquittoBroker(options)
        let program = try await BuiltProgram.start(
            "facetd",
            // No event may happen: it would stay undelivered, and make the exit status 1.
            portrait + ["--mqtt", "mqtt://lamp@127.0.0.1:\(broker.port)", "--set", "publish=metadata"],
            environment: ["XDG_STATE_HOME": directory.path, "FACET_MQTT_PASSWORD": "wrong-secret"]
        )
        try await program.waitForOutput("passwordFile")
        program.signal(SIGINT)
        await program.waitUntilEnded()
        #expect(program.result.status == 0)
        #expect(!program.output.contains("wrong-secret"))
    }

    @Test(
        "a command that was retained is of unknown age, and not obeyed; what counts as a smile can be set",
        .timeLimit(.minutes(5)),
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup")
    )
    func retainedCommand() async throws {
        let directory = try TemporaryDirectory()
        let broker = try await MosquittoBroker()
        let settings = BrokerSettings(host: broker.host, port: broker.port, clientID: "someone")
        let sender = try BrokerConnection(settings: settings, logger: Logger(label: "test"))
        sender.publish(
            state: MQTTMessage(topic: "faces/detect/set", payload: Array("OFF".utf8), qos: .atLeastOnce, retain: true)
        )
        try sender.start()
        try await broker.waitForLog("Sending PUBACK to someone")
        let daemon = try await BuiltProgram.start(
            "facetd",
            portrait + ["--mqtt", "mqtt://127.0.0.1:\(broker.port)", "--set", "zones.desk.area=0,0,1,1"],
            environment: ["XDG_STATE_HOME": directory.path]
        )
        try await daemon.waitForOutput("ignored a retained command on faces/detect/set")
        try await daemon.waitForOutput("\"payload\":\"ON\"")
        for command in [#"{"level":9}"#, #"{"level":0.55}"#, #"{"hold":0.5}"#] {
            sender.publish(event: MQTTMessage(topic: "faces/smile/set", payload: Array(command.utf8)))
        }
        try await daemon.waitForOutput("refused a command on faces/smile/set")
        try await daemon.waitForOutput(#""smile":{"level":0.55,"hold":0.5}"#)
        try await daemon.waitForOutput("zone_enter")
        for command in [#"{"zone":"sofa","on":false}"#, #"{"zone":"desk","on":false}"#] {
            sender.publish(event: MQTTMessage(topic: "faces/zones/set", payload: Array(command.utf8)))
        }
        try await daemon.waitForOutput("there is no zone 'sofa'; there are: desk")
        try await daemon.waitForOutput("zone_leave")
        try await daemon.waitForOutput(#""on":false"#)
        sender.publish(event: MQTTMessage(topic: "faces/detect/set", payload: Array("OFF".utf8)))
        try await daemon.waitForOutput("\"payload\":\"OFF\"")
        daemon.signal(SIGTERM)
        await daemon.waitUntilEnded()
        _ = await sender.stop()
        #expect(daemon.messages.filter { $0.topic == "faces/detect/state" }.count == 2)
    }
}
