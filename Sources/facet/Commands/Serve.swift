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

    @Flag(help: "Let pages switch detection on and off.")
    var control = false

    @OptionGroup var page: PageOptions
    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var live: SourceOptions

    func run() async throws {
        var options = try page.service()
        options.style = drawing.style
        options.canControl = control
        let service = try PageService(options)
        let subscriber = try await live.subscriber(command: "serve", topics: PageService.topics, all: true)
        try await service.run(subscriber, try live.broker.access())
    }
}
