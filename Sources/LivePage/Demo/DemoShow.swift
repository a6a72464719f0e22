/// The demonstration: a clip or a camera, the live page, and a lamp that is lit while a face smiles.
package enum DemoShow {
    /// Shows a camera, clip or stream (by default the demo's clip) for `seconds` seconds or until Ctrl-C.
    package static func run(source: String?, seconds: Double?, opensBrowser: Bool) async throws {
        let own = source
        let source = try source ?? DemoClip.path()
        let name = source.shownSource
        var options = PageService.Options(ListenAddress(port: 0))
        options.token = try PageService.token()
        options.seconds = seconds ?? .infinity
        let service = try PageService(options)
        let stage = try await DemoStage(source: source)
        Console.print(
            line: stage.map { "broker: mosquitto at \($0.address); daemon: facetd on \(name)" }
                ?? (InstalledProgram.exists("mosquitto")
                    ? "mosquitto or facetd cannot be started: facet looks at \(name) itself"
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
                Console.print(styled: "page: \(url)?demo\nCtrl-C ends the demo.")
                if opensBrowser { ShellCommand.openInBrowser(url + "?demo") }
            }
            try await service.run(subscriber, broker, ready: ready, notes: false) { lamp.take($0) }
        } catch {
            stage?.end()
            throw error
        }
        lamp.finish()
        guard stage?.end() != false else {
            throw CommandFailure("facetd ended: it cannot use \(name), for the reason above")
        }
        Console.print(styled: next(isOwn: own == nil))
    }

    /// The commands to try next, in lines of at most 80 characters.
    private static func next(isOwn: Bool) -> String {
        let install =
            InstalledProgram.exists("mosquitto") ? [] : [("sudo apt install mosquitto", "a broker for this machine")]
        let commands =
            [("facet watch smile --source \(isOwn ? "demo" : "auto") --exec CMD", "runs yours with each smile")]
            + (isOwn ? [("facet demo --source auto", "the same on your camera")] : []) + install
            + [("facetd", "faces of your camera, to the broker"), ("facet watch", "events as they come")]
            + [("facet serve", "the page that you saw")]
        return "\nWhat to type next:\n" + commands.map { "  \($0.padding(to: 42)) \($1)" }.joined(separator: "\n")
    }
}
