/// Serves the live page, or the page on which areas are drawn, until the messages of the cameras end.
package struct PageService {
    package struct Options: Sendable {
        package var address: ListenAddress
        /// The secret that visitors must enter; nil lets all users of this machine in without one.
        package var token: String?
        /// The PEM files of the certificate and its key; nil serves plain HTTP.
        package var tlsFiles: (certificate: String, key: String)?
        /// Further host names by which a browser may address this server.
        package var names: [String] = []
        /// The IP addresses of proxies whose headers about the client are trusted.
        package var proxies: [ClientAddress] = []
        /// The drawing style of pages that do not choose one. If it hides faces, pages can only choose styles that do.
        package var style = DrawingStyle()
        /// Whether pages may switch detection on and off.
        package var canControl = false
        /// The seconds after which the service ends by itself.
        package var seconds = Double.infinity

        package init(_ address: ListenAddress) { self.address = address }
    }

    /// The topics that a page with cameras needs.
    package static let topics = Topic.viewed + [.count, .stats, .today]

    private let options: Options
    private let editor: AreaEditor?

    /// Makes a service. Throws `CommandFailure` if other machines could open the page without a token.
    package init(_ options: Options, editor: AreaEditor? = nil) throws(CommandFailure) {
        self.options = options
        self.editor = editor
        guard !options.address.isLoopback, options.token == nil else { return }
        let file = editor == nil ? "write one into a file and name it with --token-file, or " : ""
        let remedy = "\(file)set FACET_SERVE_TOKEN; or leave out --listen"
        throw CommandFailure("cannot let other machines see the page on \(options.address) without a token: \(remedy)")
    }

    /// Serves the page until the command ends. Once the page can be opened, prints its URL or calls `ready` with it.
    /// Cameras that the user named in `access` are shown even if no messages come from them.
    package func run(
        _ subscriber: Subscriber,
        _ access: BrokerAccess = BrokerAccess(),
        ready: ((_ url: String) -> Void)? = nil,
        notes: Bool? = nil,
        observe: (LiveInput) -> Void = { _ in }
    ) async throws {
        let viewers = Viewers()
        var state = ServedState(address: subscriber.address, isLocal: subscriber.isLocal)
        if !subscriber.isLocal { state.url = access.mqtt }
        let named = access.isNarrowed ? subscriber.patterns.filter { !$0.contains("+") } : []
        let publisher = try PagePublisher(options, viewers, state, bases: named)
        var page = PageServer(
            access: PageGuard(options),
            viewers: viewers,
            overlays: publisher.offered,
            wish: ViewerWish(overlay: options.style.overlay.name, isMirrored: options.style.isMirrored),
            editor: editor
        )
        if options.canControl { page.detect = { subscriber.send(.detectSet($1), under: $0) } }
        let server = try makeServer(page)
        let serving = Task { try await onThread(named: "http") { server.run() } }
        defer { server.stop() }
        let url = "\(options.tlsFiles == nil ? "http" : "https")://\(options.address.urlHost):\(server.port)/"
        if let ready {
            ready(url)
        } else {
            let access = options.token == nil ? "open to all users of this machine" : "asks for the token"
            Console.print(line: "\(url) \(access)")
            if Console.isTerminal { Console.note("serving the page, Ctrl-C ends") }
        }
        // A local session has no connection that could be missing.
        if subscriber.isLocal { publisher.take(.connection(.connected(.version5, broker: "")), at: 0) }
        try await subscriber.follow(every: .milliseconds(33), notes: notes) { input in
            observe(input)
            guard case .occurrence(let occurrence) = input.content else {
                try publisher.advance(to: input.seconds)
                return input.seconds < options.seconds
            }
            publisher.take(occurrence, at: input.seconds)
            return true
        }
        server.stop()
        try await serving.value
    }

    /// The token from a file, or else from the environment variable FACET_SERVE_TOKEN; nil if there is none.
    package static func token(file: String? = nil) throws(CommandFailure) -> String? {
        let given = try file.map { path throws(CommandFailure) in try FileText.read(path, "token") }
        return try (given ?? ProcessInfo.processInfo.environment.given["FACET_SERVE_TOKEN"])
            .map { text throws(CommandFailure) in try FileText.secret(text, "token for the page", atLeast: 12) }
    }

    private func makeServer(_ page: PageServer) throws(CommandFailure) -> HTTPServer {
        var http = HTTPServer.Options(host: options.address.host, port: options.address.port)
        http.longestBody = editor == nil ? CalibrationPage.longestBody : AreaEditor.longestBody
        if let files = options.tlsFiles {
            http.tls = (try FileText.read(files.certificate, "certificate"), try FileText.read(files.key, "key"))
        }
        do {
            return try HTTPServer(http) { page.answer($0) }
        } catch {
            if case .cannotListen = error { throw CommandFailure("\(error)", remedy: "choose another with --listen") }
            let files = options.tlsFiles.map { " with \($0.certificate) and \($0.key)" } ?? ""
            throw CommandFailure("cannot serve the page\(files): \(error)")
        }
    }
}
