import FacetTestSupport
import Foundation
import Logging
import MQTT
import Testing

@Suite(
    "The fleet of a real broker",
    .serialized,
    .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup"),
    .timeLimit(.minutes(5))
)
struct FleetTests {
    @Test("facet fleet shows each change of a camera: off, streaming with a face, stopped, killed")
    func changes() async throws {
        let directory = try TemporaryDirectory()
        let broker = try await MosquittoBroker()
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let fleet = try await BuiltProgram.start("facet", ["fleet", "--json", "--mqtt", url])
        func daemon(_ name: String) async throws -> ChildProcess {
            try await BuiltProgram.start(
                "facetd",
                [
                    "--source", "/usr/local/share/facet/astronaut.png", "--loop", "--mqtt", url,
                    "--topic", "\(name)/faces", "--set", "detection.enabled=false", "--set", "mqtt.willDelay=0s",
                ],
                environment: ["XDG_STATE_HOME": "\(directory.path)/\(name)"]
            )
        }
        let porch = try await daemon("porch")
        let shed = try await daemon("shed")
        try await fleet.waitForOutput { $0.contains(/"base":"porch\/faces".*"state":"disabled"/) }
        try await fleet.waitForOutput { $0.contains(/"base":"shed\/faces".*"state":"disabled"/) }
        let command = try BrokerConnection(
            settings: BrokerSettings(host: broker.host, port: broker.port, clientID: "switch"),
            logger: Logger(label: "test")
        )
        try command.start()
        command.publish(event: MQTTMessage(topic: "porch/faces/detect/set", payload: Array("ON".utf8)))
        try await fleet.waitForOutput { $0.contains(/"base":"porch\/faces".*"faces":1.*"state":"streaming"/) }
        _ = await command.stop()
        shed.signal(SIGTERM)
        try await fleet.waitForOutput { $0.contains(/"base":"shed\/faces".*"state":"stopped"/) }
        porch.signal(SIGKILL)
        try await fleet.waitForOutput { $0.contains(/"base":"porch\/faces".*"state":"offline"/) }
        let once = try await BuiltProgram.run("facet", ["fleet", "--once", "--mqtt", url])
        #expect(once.status == 0)
        #expect(once.output.contains(/porch\/faces\)? +offline/))
        #expect(once.output.contains(/shed\/faces\)? +stopped/))
        fleet.signal(SIGINT)
        await fleet.waitUntilEnded()
        #expect(fleet.result.status == 0)
    }

    @Test("no camera at all is an error that says what to do")
    func nobody() async throws {
        let broker = try await MosquittoBroker()
        let result = try await BuiltProgram.run(
            "facet",
            ["fleet", "--once", "--mqtt", "mqtt://127.0.0.1:\(broker.port)"]
        )
        #expect(result.status == 1)
        #expect(result.output.contains("no camera under faces, +/faces"))
    }
}
