import Companion
import FaceMessages
import Foundation
import OverlayRendering
import System

/// The demonstration: a clip or a camera, the live page, and a lamp that is on while a face smiles.
package struct DemoShow {
    private let source: String?
    private let seconds: Double?
    private let opensBrowser: Bool

    /// Makes a show.
    ///
    /// - Parameters:
    ///   - source: a camera, a clip or a stream; nil for the demo's clip.
    ///   - seconds: for how long; nil until Ctrl-C.
    ///   - opensBrowser: whether the page is opened where there is a display.
    package init(source: String?, seconds: Double?, opensBrowser: Bool) {
        self.source = source
        self.seconds = seconds
        self.opensBrowser = opensBrowser
    }

    package func run() async throws {
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
        guard let address = ListenAddress("127.0.0.1:0") else { return }
        var options = PageService.Options(address)
        options.token = try PageService.token()
        options.seconds = seconds ?? .infinity
        var broker = BrokerAccess()
        broker.mqtt = stage?.address
        broker.topic = [BrokerAccess.standardBase]
        let service = try PageService(options)
        let subscriber =
            try await stage == nil
            ? Subscriber(source: source, loops: true) : broker.subscriber("demo", Topic.viewed, all: false)
        var lamp = DemoLamp()
        try await service.run(
            subscriber,
            named: broker.topic,
            ready: { url in
                StandardOutput.print(line: "page: \(url)?demo\nCtrl-C ends the demo.")
                if opensBrowser { ShellCommand.openInBrowser(url + "?demo") }
            },
            observe: { lamp.take($0) }
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

    /// The clip that packages bring, which lies where they put it beside the program.
    ///
    /// - Parameter option: what names another clip.
    /// - Returns: its path.
    /// - Throws: `CommandFailure` if it is not there.
    package static func clip(or option: String = "--source") throws -> String {
        let path = URL(filePath: DemoStage.directory).deletingLastPathComponent().path + "/share/facet/demo.mp4"
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                "there is no clip at \(path), where the packages have it; name another with \(option)"
            )
        }
        return path
    }
}
