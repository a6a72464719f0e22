import ArgumentParser
import FaceMessages
import Foundation
import MQTT
import OverlayRendering

/// `facet serve`: the live page for browsers.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves a live page for the browser.",
        discussion: """
            Live picture with the overlay if the daemon's owner switched the preview on, otherwise plain heads; faces \
            with their smile and eyes as moving traces, events as they come, the state of cameras and broker. Without \
            --topic all cameras under 'faces' and '+/faces' are shown.

            Only this machine can open the page unless --listen names another address. Then a visitor needs a token: \
            set it with --token-file or in FACET_SERVE_TOKEN. Connections are not encrypted; put a proxy with TLS in \
            front where the network is not trusted. Pages can look, and switch detection only with --control.

            Examples:
              facet serve
              facet serve --look hearts --mirror --control
              facet serve --topic 'site1/+/faces'
              facet serve --listen 0.0.0.0:8088 --token-file /etc/facet/token
            """
    )

    @Option(help: ArgumentHelp("Where to listen: PORT, ADDRESS:PORT or [ADDRESS]:PORT.", valueName: "address"))
    var listen = "127.0.0.1:8088"

    @Flag(help: "Let pages switch detection on and off.")
    var control = false

    @Option(
        help: ArgumentHelp("A file with the token for visitors; otherwise FACET_SERVE_TOKEN.", valueName: "file"),
        completion: .file()
    )
    var tokenFile: String?

    @Option(help: ArgumentHelp("A further host name that browsers may use for this server.", valueName: "name"))
    var allowHost: [String] = []

    @OptionGroup var overlay: OverlayOptions
    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard ListenAddress(listen) != nil else {
            throw ValidationError("--listen '\(listen)' is no address; write PORT, ADDRESS:PORT or [ADDRESS]:PORT")
        }
    }

    func run() async throws {
        guard let address = ListenAddress(listen) else { throw CommandFailure("'\(listen)' is no address") }
        let token = try token()
        let looks = try overlay.looks()
        guard address.isLoopback || token != nil else {
            throw CommandFailure(
                """
                cannot let other machines see the page on \(listen) without a token: write one into a file and name it \
                with --token-file, or set FACET_SERVE_TOKEN; or leave out --listen
                """
            )
        }
        let patterns = broker.patterns(default: ["faces", "+/faces"])
        let subscriber = try Subscriber(
            broker,
            command: "serve",
            topics: Topic.viewed,
            patterns: patterns,
            capacity: 512
        )
        let viewers = Viewers()
        let bases = broker.topic.filter { !$0.contains("+") }
        let studio = try Studio(
            viewers: viewers,
            address: subscriber.address,
            bases: bases,
            looks: looks,
            canControl: control
        )
        var live = LivePage(
            viewers: viewers,
            looks: looks.names,
            wish: ViewerWish(look: overlay.look.name, isMirrored: overlay.mirror)
        )
        if control {
            live.detect = { base, isOn in subscriber.send(isOn ? "ON" : "OFF", on: .detectSet, under: base) }
        }
        let access = PageGuard(token: address.isLoopback ? nil : token, names: allowHost + Self.ownNames)
        let server = try PageServer(address, access: access, live: live)
        let serving = Task<Void, any Error> {
            try await server.run(address) { port in
                let host = address.isVersion6 ? "[\(address.host)]" : address.host
                StandardOutput.print(line: "http://\(host):\(port)/")
                if StandardOutput.isTerminal { StandardOutput.note("serving the page, Ctrl-C ends") }
            }
        }
        let inputs = LiveInputs(subscriber, interval: .milliseconds(33), interruptible: true)
        let interrupt = inputs.interrupt
        // A server that cannot listen ends the command.
        Task { do { try await serving.value } catch { interrupt() } }
        defer {
            for viewer in viewers.all.viewers { viewers.leave(viewer) }
            serving.cancel()
        }
        try await follow(inputs, studio, ConnectionNotices(address: subscriber.address))
        serving.cancel()
        await subscriber.stop()
        try await serving.value
    }

    /// Keeps the pages up to date until somebody ends the command.
    private func follow(_ inputs: LiveInputs, _ studio: Studio, _ notices: ConnectionNotices) async throws {
        var notices = notices
        let start = ContinuousClock.now
        for await input in inputs {
            // The time of an input is that of its coming, however long it had to wait for us.
            let seconds = start.duration(to: input.arrival) / .seconds(1)
            switch input.content {
            case .occurrence(let occurrence):
                if case .connection(let state) = occurrence, let note = try notices.note(state) {
                    StandardOutput.note(note)
                }
                studio.take(occurrence, at: seconds)
            case .tick: try studio.advance(to: seconds)
            case .interrupted: return
            case .key: break
            }
        }
    }

    private func token() throws -> String? {
        let text: String?
        if let tokenFile {
            do {
                text = try String(contentsOfFile: tokenFile, encoding: .utf8)
            } catch {
                throw CommandFailure("cannot read the token in \(tokenFile): \(SystemReason(error))")
            }
        } else {
            text = ProcessInfo.processInfo.environment["FACET_SERVE_TOKEN"]
        }
        guard let token = text.map({ String($0.prefix { !$0.isNewline }) }), !token.isEmpty else {
            guard text == nil else { throw CommandFailure("the token for the page is empty") }
            return nil
        }
        guard token.utf8.count >= 12 else {
            throw CommandFailure("the token for the page is too short: it must have 12 characters or more")
        }
        return token
    }

    /// The names that other machines know this one by.
    private static var ownNames: [String] {
        let name = ProcessInfo.processInfo.hostName
        let short = String(name.prefix { $0 != "." })
        return [name, short, short + ".local"]
    }
}
