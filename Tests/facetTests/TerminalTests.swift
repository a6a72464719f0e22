import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import MQTT
import Testing

@testable import ClipDrawing
@testable import Companion
@testable import facet

/// The built `facet view` on a real terminal.
@Suite("A terminal", .serialized, .timeLimit(.minutes(5)))
struct TerminalTests {
    private static let enter = "\u{1B}[?1049h"
    private static let leave = "\u{1B}[?1049l"
    private static let redraw = "\u{1B}[?2026h"

    private func view(on terminal: PseudoTerminal, _ arguments: [String] = []) async throws -> ChildProcess {
        try await terminal.start(
            BuildProducts.program("facet"),
            ["view"] + arguments,
            environment: ["TERM": "xterm-256color"]
        )
    }

    /// A view that waits for a broker which is not there.
    private func lonelyView(on terminal: PseudoTerminal) async throws -> ChildProcess {
        terminal.startReading()
        let program = try await view(on: terminal, ["--mqtt", "mqtt://127.0.0.1:\(try LoopbackPort.free())"])
        #expect(await terminal.waitForOutput { $0.contains(Self.redraw) })
        return program
    }

    /// What ends a view.
    enum Ending: CaseIterable {
        case key
        case interrupt
        case termination
    }

    @Test("is given back as it was, whatever ends the view", arguments: Ending.allCases)
    func givenBack(ending: Ending) async throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.settings
        let program = try await lonelyView(on: terminal)
        #expect(try terminal.settings != before)
        switch ending {
        case .key: try terminal.press("q")
        case .interrupt: program.signal(SIGINT)
        case .termination: program.signal(SIGTERM)
        }
        await program.waitUntilEnded()
        let status =
            switch ending {
            case .key: 0
            case .interrupt: 128 + Int(SIGINT)
            case .termination: 128 + Int(SIGTERM)
            }
        #expect(program.exitStatus == status, "\(program.output)")
        #expect(try terminal.settings == before)
        let output = await terminal.finish()
        #expect(output.hasPrefix(Self.enter))
        #expect(output.hasSuffix(Self.leave))
    }

    @Test("a hangup that is ignored does not end the view")
    func ignoredHangup() async throws {
        let terminal = try PseudoTerminal()
        terminal.startReading()
        let broker = "mqtt://127.0.0.1:\(try LoopbackPort.free())"
        let program = try await terminal.start(
            "/bin/sh",
            ["-c", "trap '' HUP; exec \"$@\"", "sh", BuildProducts.program("facet"), "view", "--mqtt", broker],
            environment: ["TERM": "xterm-256color"]
        )
        #expect(await terminal.waitForOutput { $0.contains(Self.redraw) })
        program.signal(SIGHUP)
        try terminal.press("q")
        await program.waitUntilEnded()
        #expect(program.exitStatus == 0)
        _ = await terminal.finish()
    }

    @Test("each snapshot gets a file of its own, however soon it follows")
    func snapshots() async throws {
        let directory = try TemporaryDirectory()
        let terminal = try PseudoTerminal()
        terminal.startReading()
        let broker = "mqtt://127.0.0.1:\(try LoopbackPort.free())"
        let command = ["-c", "cd \"$0\" && exec \"$@\"", directory.path, BuildProducts.program("facet")]
        let program = try await terminal.start(
            "/bin/sh",
            command + ["view", "--mqtt", broker],
            environment: ["TERM": "xterm-256color"]
        )
        #expect(await terminal.waitForOutput { $0.contains(Self.redraw) })
        try terminal.press("ssssssq")
        await program.waitUntilEnded()
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(files.count(where: { $0.hasSuffix(".png") }) == 6, "\(files)")
        _ = await terminal.finish()
    }

    @Test("is given back while the view is suspended, and taken again")
    func suspended() async throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.settings
        let program = try await lonelyView(on: terminal)
        program.signal(SIGTSTP)
        #expect(await terminal.waitForOutput { $0.contains(Self.leave) })
        while program.isRunning, try !program.isStopped { await Task.yield() }
        #expect(try terminal.settings == before)
        program.signal(SIGCONT)
        #expect(
            await terminal.waitForOutput { output in
                let after = output.components(separatedBy: Self.leave).last ?? ""
                return after.contains(Self.enter) && after.contains(Self.redraw)
            }
        )
        try terminal.press("q")
        await program.waitUntilEnded()
        #expect(program.exitStatus == 0)
        #expect(try terminal.settings == before)
        #expect(await terminal.finish().hasSuffix(Self.leave))
    }

    @Test(
        "shows in words why there is no picture of a lost camera",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup")
    )
    func lost() async throws {
        let broker = try await MosquittoBroker()
        let daemon = try BrokerConnection(
            settings: BrokerSettings(host: broker.host, port: broker.port, clientID: "daemon"),
            logger: .silent
        )
        try daemon.start()
        let status = DaemonStatus(
            state: .online,
            cameraState: .lost,
            reason: "unplugged",
            detail: "the plug was pulled out of it"
        )
        let payload = encoder.status(status).payload
        daemon.publish(state: MQTTMessage(topic: "faces/status", payload: payload, qos: .atLeastOnce, retain: true))
        let terminal = try PseudoTerminal(columns: 48, rows: 20)
        terminal.startReading()
        let program = try await view(on: terminal, ["--mqtt", "mqtt://127.0.0.1:\(broker.port)"])
        #expect(await terminal.waitForOutput { $0.contains("the camera front is lost – the plug was") })
        try terminal.press("q")
        await program.waitUntilEnded()
        #expect(program.exitStatus == 0)
        _ = await daemon.stop()
    }

    @Test(
        "that takes its time gets the newest picture, and keys are heard at once",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup")
    )
    func slow() async throws {
        let broker = try await MosquittoBroker()
        // The terminal is so large that a redraw takes longer than the time between two.
        let terminal = try PseudoTerminal(columns: 400, rows: 150)
        let program = try await view(
            on: terminal,
            ["--mqtt", "mqtt://127.0.0.1:\(broker.port)", "--rate", "60", "--overlay", "santa"]
        )
        try await broker.waitForLog(" 0 faces/metadata")
        let daemon = try BrokerConnection(
            settings: BrokerSettings(host: broker.host, port: broker.port, clientID: "daemon"),
            logger: .silent
        )
        try daemon.start()
        for frame in 0..<300 {
            var face = face()
            face.bounds.x = Double(frame) / 1000
            let message = encoder.metadata([face], at: stamp(frame))
            // Acknowledged by the broker, so that all have gone out when the connection is over.
            daemon.publish(event: MQTTMessage(topic: message.topic.name(under: "faces"), payload: message.payload))
        }
        _ = await daemon.stop(timeout: .seconds(60))
        try terminal.press("q")
        terminal.startReading()
        await program.waitUntilEnded()
        #expect(program.exitStatus == 0)
        let redraws = await terminal.finish().components(separatedBy: Self.redraw).count - 1
        #expect(redraws < 20, "300 messages made \(redraws) redraws")
    }
}

extension ChildProcess {
    /// Whether a signal has stopped the program, and nothing has let it go on yet.
    fileprivate var isStopped: Bool {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
            // The state follows the name, which may hold anything but ends with the last bracket.
            return status.split(separator: ")").last?.hasPrefix(" T") == true
        }
    }
}
