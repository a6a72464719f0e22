import Companion
import FaceMessages
import Foundation
import System

/// The demonstration: a clip or a camera, the live page, and a lamp that is on while a face smiles.
package enum DemoShow {
    /// Shows a camera, a clip or a stream, or else the demo's clip, for some seconds or until Ctrl-C.
    package static func run(source: String?, seconds: Double?, opensBrowser: Bool) async throws {
        let own = source
        let source = try source ?? clip()
        let name = source.shownSource
        var options = PageService.Options(ListenAddress(port: 0))
        options.token = try PageService.token()
        options.seconds = seconds ?? .infinity
        let service = try PageService(options)
        let stage = try await DemoStage(source: source)
        StandardOutput.print(
            line: stage.map { "broker: mosquitto at \($0.address); daemon: facetd on \(name)" }
                ?? (InstalledProgram.exists("mosquitto")
                    ? "facetd cannot be started: facet looks at \(name) itself"
                    : "no broker is installed (sudo apt install mosquitto): facet looks at \(name) itself")
        )
        var broker = BrokerAccess()
        broker.mqtt = stage?.address
        broker.topic = [BrokerAccess.standardBase]
        var lamp = DemoLamp()
        do {
            let subscriber =
                try await stage == nil
                ? Subscriber(source: source, loops: true) : broker.subscriber("demo", Topic.viewed, all: false)
            let ready: (String) -> Void = { url in
                StandardOutput.print(line: "page: \(url)?demo\nCtrl-C ends the demo.")
                if opensBrowser { ShellCommand.openInBrowser(url + "?demo") }
            }
            try await service.run(subscriber, named: broker.topic, ready: ready, notes: false) { lamp.take($0) }
        } catch {
            stage?.end()
            throw error
        }
        lamp.finish()
        guard stage?.end() != false else {
            throw CommandFailure("facetd ended: it cannot use \(name), for the reason that stands above")
        }
        StandardOutput.print(line: next(isOwn: own == nil))
    }

    /// What to type next, in lines of 80 characters.
    private static func next(isOwn: Bool) -> String {
        let install =
            InstalledProgram.exists("mosquitto") ? [] : [("sudo apt install mosquitto", "a broker for this machine")]
        let commands =
            [("facet watch smile --source \(isOwn ? "demo" : "auto") --exec CMD", "runs yours with each smile")]
            + (isOwn ? [("facet demo --source auto", "the same on your camera")] : []) + install
            + [("facetd", "faces of your camera, to the broker"), ("facet watch", "events as they come")]
            + [("facet serve", "the page that you saw")]
        return "\nWhat to type next:\n"
            + commands.map { "  \($0.padding(to: 42)) \($1)" }.joined(separator: "\n")
    }

    /// The path of the clip that packages have, and a build of the source makes; its absence names `option` for another.
    package static func clip(or option: String = "--source") throws -> String {
        let path = URL(filePath: RunningProgram.directory).deletingLastPathComponent().path + "/share/facet/demo.mp4"
        let maker = RunningProgram.directory + "/demo-clip"
        let files = FileManager.default
        if !files.fileExists(atPath: path), files.isExecutableFile(atPath: maker) {
            StandardOutput.note("making the demo's clip, once")
            let folder = URL(filePath: path).deletingLastPathComponent()
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            try Process.run(URL(filePath: maker), arguments: ["--short", path]).waitUntilExit()
        }
        guard files.fileExists(atPath: path) else {
            throw CommandFailure("there is no clip at \(path), where the packages have it; name another with \(option)")
        }
        return path
    }
}

extension ShellCommand {
    /// Opens an address in the browser, if there is a display.
    package static func openInBrowser(_ url: String) {
        let environment = ProcessInfo.processInfo.environment
        guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false }) else { return }
        Task { await ShellCommand(text: "xdg-open '\(url)' >/dev/null 2>&1", environment: environment).run() }
    }
}
