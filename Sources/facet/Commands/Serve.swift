import ArgumentParser
import FaceMessages
import Foundation
import HTTPServing
import MQTT
import OverlayRendering
import System

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves a live page for the browser.",
        discussion: """
            Live picture with the overlay if the daemon's owner switched the preview on, otherwise plain heads; faces \
            with their smile and eyes as moving traces, events as they come, the state of cameras and broker. Without \
            --topic all cameras under 'faces' and '+/faces' are shown.

            A page must give the token of --token-file or FACET_SERVE_TOKEN, if there is one. Only this machine can open \
            the page unless --listen names another address, which needs a token. --https-certificate and --https-key \
            encrypt; without them put a proxy with TLS in front where the network is not trusted, and name it with \
            --proxy. Pages can look, and switch detection only with --control. With an overlay that hides faces (pixelate, \
            blur, silhouette) pages can choose only such overlays, and pictures are searched for faces here too.

            Programs read /events (server-sent events), /state (JSON), /metrics (Prometheus) and /picture.jpg, with the \
            token in the header "Authorization: Bearer TOKEN"; http.md in the documentation describes them.

            Examples:
              facet serve
              facet serve --overlay hearts --mirror --control
              facet serve --topic 'site1/+/faces'
              facet serve --listen 0.0.0.0:8088 --token-file /etc/facet/token
            """
    )

    @Option(help: .init("Where to listen: PORT, ADDRESS:PORT or [ADDRESS]:PORT.", valueName: "address"))
    var listen = "127.0.0.1:8088"

    @Flag(help: "Let pages switch detection on and off.")
    var control = false

    @Option(file: "A file with the token for visitors; otherwise FACET_SERVE_TOKEN.")
    var tokenFile: String?

    @Option(help: .init("A further host name that browsers may use for this server.", valueName: "name"))
    var allowHost: [String] = []

    @Option(file: "The server's certificate and those that vouch for it, in PEM.")
    var httpsCertificate: String?

    @Option(file: "The certificate's private key, in PEM.")
    var httpsKey: String?

    @Option(
        help: .init(
            "A proxy's address, whose X-Forwarded-For and X-Forwarded-Proto are believed.",
            valueName: "address"
        )
    )
    var proxy: [String] = []

    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var live: SourceOptions

    func validate() throws {
        guard ListenAddress(listen) != nil else {
            throw ValidationError("--listen '\(listen)' is no address; write PORT, ADDRESS:PORT or [ADDRESS]:PORT")
        }
        guard (httpsCertificate == nil) == (httpsKey == nil) else {
            throw ValidationError("--https-certificate and --https-key belong together: give both or neither")
        }
        if let wrong = proxy.first(where: { !isNumericAddress($0) }) {
            throw ValidationError("--proxy '\(wrong)' is no address in numbers, such as 127.0.0.1 or ::1")
        }
    }

    func run() async throws {
        let largest = PagePublisher.largestMessage
        try await serve {
            try await live.subscriber(
                command: "serve",
                topics: Topic.viewed + [.count, .stats, .today],
                all: true,
                capacity: 512,
                largest: largest
            )
        }
    }

    /// Serves the page until the command is ended.
    ///
    /// - Parameters:
    ///   - seconds: for how long at the most.
    ///   - editor: what areas are drawn for; nil for a page that only shows.
    ///   - ready: takes the page's address once it can be opened, instead of standard output.
    ///   - observe: takes what happens where the messages come from.
    ///   - open: connects.
    /// - Throws: `CommandFailure` if it cannot.
    func serve(
        atMost seconds: Double = .infinity,
        editor: AreaEditor? = nil,
        ready: ((_ url: String) -> Void)? = nil,
        observe: (Subscriber.Occurrence) -> Void = { _ in },
        _ open: () async throws -> Subscriber
    ) async throws {
        guard let address = ListenAddress(listen) else { throw CommandFailure("'\(listen)' is no address") }
        let token = try token()
        let overlays = try drawing.overlays()
        guard address.isLoopback || token != nil else {
            let option = editor == nil ? "write one into a file and name it with --token-file, or " : ""
            throw CommandFailure(
                "cannot let other machines see the page on \(listen) without a token: \(option)set FACET_SERVE_TOKEN; or leave out --listen"
            )
        }
        var options = HTTPServer.Options(host: address.host, port: address.port)
        if editor != nil { options.longestBody = AreaEditor.longestBody }
        if let httpsCertificate, let httpsKey {
            options.tls = (try text(of: httpsCertificate, "certificate"), try text(of: httpsKey, "key"))
        }
        let subscriber = try await open()
        // Cameras that were asked for are shown even if nothing is heard of them.
        let isNamed = live.broker.camera != nil || !live.broker.topic.isEmpty
        let viewers = Viewers()
        // The operator's choice limits the visitor's.
        let hides = overlays[drawing.overlay.name].hidesFaces
        let offered = overlays.names.filter { !hides || overlays[$0].hidesFaces }
        let publisher = try PagePublisher(
            viewers: viewers,
            address: subscriber.address,
            bases: isNamed ? subscriber.patterns.filter { !$0.contains("+") } : [],
            overlays: overlays,
            offered: offered,
            canControl: control,
            hasLogin: token != nil
        )
        let detect = DetectSwitch(viewers) { subscriber.send($1 ? "ON" : "OFF", on: .detectSet, under: $0) }
        let page = PageServer(
            access: PageGuard(
                token: token,
                names: allowHost + Self.ownNames,
                proxies: proxy,
                port: address.port,
                isTLS: options.tls != nil
            ),
            viewers: viewers,
            overlays: offered,
            wish: ViewerWish(overlay: drawing.overlay.name, isMirrored: drawing.mirror),
            detect: control ? detect : nil,
            editor: editor
        )
        let server = try makeServer(options, page)
        let serving = Task { try await onThread(named: "http") { server.run() } }
        let scheme = options.tls == nil ? "http" : "https"
        let access = token == nil ? "open to all users of this machine" : "asks for the token"
        let url = "\(scheme)://\(address.urlHost):\(server.port)/"
        if let ready {
            ready(url)
        } else {
            StandardOutput.print(line: "\(url) \(access)")
            if StandardOutput.isTerminal { StandardOutput.note("serving the page, Ctrl-C ends") }
        }
        defer { server.stop() }
        // A session in this program has no connection that could be missing.
        if subscriber.isLocal {
            publisher.take(.connection(.connected(.version5, broker: "")), at: 0)
        }
        try await subscriber.follow(every: .milliseconds(33)) { input in
            guard case .occurrence(let occurrence) = input.content else {
                try publisher.advance(to: input.seconds)
                return input.seconds < seconds
            }
            publisher.take(occurrence, at: input.seconds)
            observe(occurrence)
            return true
        }
        server.stop()
        try await serving.value
    }

    private func makeServer(_ options: HTTPServer.Options, _ page: PageServer) throws -> HTTPServer {
        do {
            return try HTTPServer(options) { page.answer($0) }
        } catch .cannotListen(let host, let port, let reason) {
            throw CommandFailure("cannot listen on \(host) port \(port): \(reason); choose another with --listen")
        } catch {
            throw CommandFailure("cannot serve the page with \(httpsCertificate ?? "") and \(httpsKey ?? ""): \(error)")
        }
    }

    private func token() throws -> String? {
        let given = try tokenFile.map { try text(of: $0, "token") }
        return try (given ?? ProcessInfo.processInfo.environment["FACET_SERVE_TOKEN"])
            .map { try secret($0, "token for the page", atLeast: 12) }
    }

    /// The names that other machines know this one by.
    private static var ownNames: [String] {
        let name = ProcessInfo.processInfo.hostName
        let short = String(name.prefix { $0 != "." })
        return [name, short, short + ".local"]
    }
}

struct ListenAddress: Equatable {
    var host: String
    var port: UInt16

    /// Reads `8088`, `127.0.0.1:8088`, `[::1]:8088` or `0.0.0.0:8088`; nil if it is none of these.
    init?(_ text: String) {
        if let port = UInt16(text) {
            (host, self.port) = ("127.0.0.1", port)
            return
        }
        guard let place = HostAndPort(text, ports: 0...65_535), let port = place.port else { return nil }
        let name = place.host == "localhost" ? "127.0.0.1" : place.host
        guard isNumericAddress(name) else { return nil }
        (host, self.port) = (name, port)
    }

    /// Whether only programs on this machine can come.
    var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    /// The address as it stands in a URL.
    var urlHost: String { host.contains(":") ? "[\(host)]" : host }
}

func isNumericAddress(_ text: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
}
