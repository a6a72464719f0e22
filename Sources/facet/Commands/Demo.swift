import ArgumentParser
import FaceMessages
import Foundation
import HTTPServing
import System

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows Facet at work: a clip, the live page, and a lamp that goes on with a smile.",
        discussion: """
            Needs no camera and no broker: plays a clip of five seconds again and again. Where mosquitto is installed, it \
            starts one of its own on a free port of this machine, and facetd with it; else it finds the faces itself. Opens \
            the page in the browser where there is a display. Nothing leaves this machine, and all of it ends with Ctrl-C.

            Examples:
              facet demo
              facet demo --source auto      with the camera of this machine
              facet demo --seconds 10 --no-browser
            """
    )

    @Option(help: "A camera, a clip or a stream instead of the demo's clip: auto, /dev/video0, clip.mp4, rtsp://….")
    var source: String?

    @Option(help: "End after so many seconds; without it with Ctrl-C.", transform: ClipOptions.seconds)
    var seconds: Double?

    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var browser = true

    func run() async throws {
        let source = try source ?? Self.clip()
        let stage = try await DemoStage(source: source)
        do { try await show(source, from: stage) } catch {
            stage?.end()
            throw error
        }
        guard stage?.end() != false else {
            throw CommandFailure(
                "facetd ended: it cannot use \(source.withoutPasswords), for the reason that stands above"
            )
        }
        StandardOutput.print(line: Self.next)
    }

    private func show(_ source: String, from stage: DemoStage?) async throws {
        let name = source.withoutPasswords
        StandardOutput.print(
            line: stage.map { "broker: mosquitto at \($0.address); daemon: facetd on \(name)" }
                ?? "there is no mosquitto, or no facetd, to start: facet looks at \(name) itself"
        )
        let feed = stage.map { ["--mqtt", $0.address] } ?? ["--source", source]
        let serve = try Serve.parse(["--listen", "127.0.0.1:0", "--topic", BrokerOptions.standardBase] + feed)
        var lamp = DemoLamp()
        try await serve.serve(
            atMost: seconds ?? .infinity,
            ready: { show($0 + "?demo") },
            observe: { lamp.take($0) },
            { try await serve.live.subscriber(command: "demo", loops: true) }
        )
        lamp.finish()
    }

    private static let next = """

        What to type next:
          facet demo --source auto                         the same on your camera; facet devices lists them
          facetd                                           faces of your camera, to the broker on this machine
          facet watch                                      events and faces as they come
          facet serve                                      the page that you saw
          facet watch smile --exec 'a command'             something of yours that a smile switches on
        """

    private func show(_ url: String) {
        StandardOutput.print(line: "page: \(url)\nCtrl-C ends the demo.")
        if browser { ShellCommand.openInBrowser(url) }
    }

    /// The clip that packages bring, which lies where they put it beside the program.
    ///
    /// - Parameter option: what names another clip.
    /// - Returns: its path.
    /// - Throws: `CommandFailure` if it is not there.
    static func clip(or option: String = "--source") throws -> String {
        let path = URL(filePath: DemoStage.directory).deletingLastPathComponent().path + "/share/facet/demo.mp4"
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                "there is no clip at \(path), where the packages have it; name another with \(option)"
            )
        }
        return path
    }
}

/// A broker and a daemon of the demo's own.
private struct DemoStage {
    /// The directory of the running program.
    static var directory: String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: program).deletingLastPathComponent().path
    }

    let address: String

    private let files = FileManager.default.temporaryDirectory.appending(path: "facet-demo-\(UUID().uuidString)").path
    private var shell: pid_t = 0

    /// Starts both; nil if one of them is not installed or does not start.
    init?(source: String) async throws {
        let port = try HTTPServer(HTTPServer.Options(host: "127.0.0.1", port: 0)) { _ in HTTPResponse(404) }.port
        address = "mqtt://127.0.0.1:\(port)"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        let own = [
            "DEMO_FILES": files, "DEMO_PORT": "\(port)", "DEMO_DAEMON": Self.directory + "/facetd",
            "DEMO_SOURCE": source, "DEMO_PROGRAM": "\(getpid())",
        ]
        let command = ShellCommand(
            text: String(decoding: PackageResources.stage_sh, as: UTF8.self),
            environment: ProcessInfo.processInfo.environment.merging(own) { $1 }
        )
        guard command.start(&shell) == 0 else { return nil }
        while !FileManager.default.fileExists(atPath: files + "/ready") {
            guard waitpid(shell, nil, WNOHANG) == 0 else { return nil }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// - Returns: Whether the daemon ran until now.
    @discardableResult
    func end() -> Bool {
        kill(shell, SIGTERM)
        return ShellCommand.wait(for: shell) == .exited(0)
    }
}

/// Writes events, and below them on a terminal a lamp that is on while a face smiles.
struct DemoLamp {
    private static let drawing = ["    ___", "   /   \\", "  /_____\\", "     |", "   __|__"]
    private static let light = [2: "  '  |  '", 3: " '   |   '"]

    private let formatter = WatchFormatter(hasColors: StandardOutput.hasColors)
    private var state = CameraState()
    private var isOn = false
    private var isDrawn = false
    private var counts: [Topic: Int] = [:]

    /// Takes what happened where the messages come from.
    mutating func take(_ occurrence: Subscriber.Occurrence) {
        guard let decoded = occurrence.decoded else { return }
        _ = state.take(decoded)
        let wasOn = isOn
        isOn = state.faces.contains { $0.smiling == true }
        var line: String?
        if case .event(let event) = decoded {
            counts[Topic(event.event.kind), default: 0] += 1
            line = formatter.line(decoded)
        } else if isOn != wasOn, !StandardOutput.isTerminal {
            line = isOn ? "the lamp is on" : "the lamp is off"
        }
        if line != nil || isOn != wasOn || !isDrawn { show(line) }
    }

    /// Says what was seen.
    mutating func finish() {
        let seen = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        show("seen: " + (seen.isEmpty ? "no face" : seen.joined(separator: ", ")))
    }

    private mutating func show(_ line: String?) {
        let lines = line.map { [$0] } ?? []
        guard StandardOutput.isTerminal else { return lines.forEach(StandardOutput.print(line:)) }
        let lamp = Self.drawing.enumerated().map { row, text in
            (isOn ? Self.light[row + 1] ?? text : text).styled(isOn ? "1;33" : "2", if: formatter.hasColors)
        }
        let up = isDrawn ? "\u{1B}[\(lamp.count)A\u{1B}[J" : ""
        isDrawn = true
        StandardOutput.write(Array((up + (lines + lamp).joined(separator: "\n") + "\n").utf8))
    }
}

extension ShellCommand {
    /// Opens an address in the browser, if there is a display.
    static func openInBrowser(_ url: String) {
        let environment = ProcessInfo.processInfo.environment
        guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false }) else { return }
        Task { await ShellCommand(text: "xdg-open '\(url)' >/dev/null 2>&1", environment: environment).run() }
    }
}
