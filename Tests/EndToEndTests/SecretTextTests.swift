import FacetTestSupport
import Foundation
import Testing

/// Everything that the programs write about sources, brokers and web addresses with a secret in them.
@Suite("Texts with secrets", .serialized, .timeLimit(.minutes(10)))
struct SecretTextTests {
    /// The two halves of each password, neither of which may be seen.
    private static let halves = ["s3c", "r3t"]
    private static let signs = [
        "#", "?", "/", " ", "\\", "%", "@", ":", "&", "=", "+", ",", ";", "!", "$", "'", "\"", "%23", "%2F", "ü", "\t",
        "|",
        "4#5", "0?2", "1/3",
    ]
    private static let sources =
        signs.map { "rtsp://admin:s3c\($0)r3t@127.0.0.1:1/s" }
        + ["#", "?", "/"].map { "http://admin:s3c\($0)r3t@localhost:1/" }
        + [
            "http://127.0.0.1:1/v?user=admin&pwd=s3cr3t", "https://127.0.0.1:1/v?token=s3cr3t",
            "http://127.0.0.1:1/v?%70wd=s3cr3t", "http://127.0.0.1:1/v;session=s3cr3t", "http://127.0.0.1:1/v?s3cr3t",
            "rtsp://127.0.0.1:1/user=admin_password=s3cr3t_channel=1", "rtsp://me@x.org:s3c/r3t@127.0.0.1:1/s",
            "exec:echo Port missing in rtsp://admin:s3c/r3t@127.0.0.1:1/s >&2; exit 1",
            "exec:echo host s3c not found >&2; : rtsp://admin:s3c/r3t@127.0.0.1:1/s; exit 1",
            "exec:echo host s3c not found >&2; : \"rtsp://admin:s3c r3t@127.0.0.1:1/s\"; exit 1",
            "exec:echo s3cr3t is wrong >&2; : curl -u admin:s3cr3t http://127.0.0.1:1/; exit 1",
            "exec:echo s3cr3t is wrong >&2; : wget --password=s3cr3t; exit 1",
            "exec:echo s3cr3t is wrong >&2; : -H 'Authorization: Bearer s3cr3t'; exit 1",
            "exec:PASSWORD=s3cr3t sh -c 'echo $PASSWORD >&2; exit 1'",
            "exec:echo $FACET_CAMERA_PASSWORD is wrong >&2; : rtsp://admin:$FACET_CAMERA_PASSWORD@h; exit 1",
            "gstreamer:rtspsrc location=rtsp://admin:s3c/r3t@127.0.0.1:1/s ! decodebin",
            "gstreamer:rtspsrc location=rtsp://127.0.0.1:1/s user-id=admin user-pw=\"s3c r3t\" ! decodebin",
            "gstreamer:filesrc location=/s3cr3t-token password=s3cr3t ! nosuchelement",
        ]

    private func expectNone(_ output: String, _ what: String) {
        for half in Self.halves { #expect(!output.contains(half), "\(what): \(output)") }
    }

    private func run(_ name: String, _ arguments: [String]) async throws -> String {
        try await BuiltProgram.run(name, arguments, environment: ["FACET_CAMERA_PASSWORD": "s3cr3t"]).output
    }

    @Test("nothing of a source's secret is in the log, the status, the errors or the page", arguments: sources)
    func source(text: String) async throws {
        let directory = try TemporaryDirectory()
        let check = try await run("facetd", ["--check", "--no-mqtt", "--source", text])
        expectNone(check, "--check")
        let daemon = try await BuiltProgram.start(
            "facetd",
            ["--print", "--no-mqtt", "--source", text, "--set", "log.level=debug"],
            environment: ["FACET_CAMERA_PASSWORD": "s3cr3t"]
        )
        try? await daemon.waitForOutput("\"cameraState\":\"lost\"")
        daemon.signal(SIGTERM)
        await daemon.waitUntilEnded()
        expectNone(daemon.output, "facetd")
        expectNone(try await run("facetd", [text]), "an argument")
        expectNone(try await run("facet", ["watch", text]), "facet watch")
        expectNone(try await run("facet", ["watch", "--source", "/nowhere", "--sauce", text]), "an unknown option")
        for command in ["apply", "report"] {
            expectNone(try await run("facet", [command, text, "-o", directory.file("o.html")]), "facet \(command)")
        }
        for (command, output) in [("snapshot", "o.jpg"), ("record", "o.mp4")] {
            let arguments = [command, "--source", text, "-o", directory.file(output)]
            let program = try await BuiltProgram.start(
                "facet",
                arguments,
                environment: ["FACET_CAMERA_PASSWORD": "s3cr3t"]
            )
            // A text that is no source ends it.
            try? await program.waitForOutput("the camera is lost")
            program.signal(SIGTERM)
            await program.waitUntilEnded()
            expectNone(program.output, "facet \(command)")
        }
        let variables = ["FACET_CAMERA_SOURCE": text, "FACET_CAMERA_RATE": text, "FACET_CAMERA_PASSWORD": "s3cr3t"]
        expectNone(try await BuiltProgram.run("facetd", ["--check"], environment: variables).output, "a variable")
        // As it stands, in quotes with a key that is none, and where the file ends in a mistake.
        let quoted = "'" + text.replacing("'", with: "''") + "'"
        for lines in ["source: \(text)", "source: \(quoted)\n  rat: 3", "source: \(quoted)\n : ["] {
            let path = try directory.write("camera:\n  \(lines)\n", to: "facetd.yaml")
            expectNone(try await run("facetd", ["--check", "--config", path]), "--config")
        }
        try await page(of: text)
    }

    private func page(of text: String) async throws {
        let port = try LoopbackPort.free()
        let page = try await BuiltProgram.start(
            "facet",
            ["serve", "--source", text, "--listen", "127.0.0.1:\(port)"],
            environment: ["FACET_CAMERA_PASSWORD": "s3cr3t"]
        )
        var state = ""
        if (try? await page.waitForOutput("http://")) != nil {
            while page.isRunning, !state.contains("lost") {
                guard let client = try? SocketClient(port: UInt16(port)) else { break }
                client.send("GET /state HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
                state = client.receive(until: "\u{0}")
                await Task.yield()
            }
            for path in ["/", "/metrics", "/health"] {
                guard let client = try? SocketClient(port: UInt16(port)) else { break }
                client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
                state += client.receive(until: "\u{0}")
            }
        }
        page.signal(SIGTERM)
        await page.waitUntilEnded()
        expectNone(page.output + state, "facet serve")
    }

    @Test("nothing of a password in a broker's or a server's address is in an answer", arguments: signs)
    func servers(sign: String) async throws {
        let broker = "mqtt://lamp:s3c\(sign)r3t@127.0.0.1:1"
        for arguments in [["--mqtt", broker], ["--set", "mqtt.brokers=\(broker)"], ["--topic", broker]] {
            expectNone(try await run("facetd", ["--check"] + arguments), "facetd")
        }
        let environment = ["FACET_MQTT_BROKERS": broker]
        expectNone(try await BuiltProgram.run("facetd", ["--check"], environment: environment).output, "a variable")
        expectNone(try await run("facet", ["fleet", "--once", "--mqtt", broker]), "facet fleet")
        let directory = try TemporaryDirectory()
        let settings = try directory.write("mqtt:\n  brokers: [\"\(broker)\"]\n: [\n", to: "facetd.yaml")
        expectNone(try await run("facetd", ["--check", "--config", settings]), "--config")
        let post = ["watch", "--post", "http://lamp:s3c\(sign)r3t@127.0.0.1:1/", "--source", "/nowhere"]
        expectNone(try await run("facet", post), "facet watch --post")
    }
}
