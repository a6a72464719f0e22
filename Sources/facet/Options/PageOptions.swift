/// The options for the page's address and for access to the page.
struct PageOptions: ParsableArguments {
    @Option(help: .init("Where to listen: PORT, ADDRESS:PORT or [ADDRESS]:PORT.", valueName: "address"))
    var listen = "127.0.0.1:8088"

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

    func validate() throws {
        _ = try Self.address(listen)
        guard (httpsCertificate == nil) == (httpsKey == nil) else {
            throw ValidationError("--https-certificate and --https-key belong together: give both or neither")
        }
        if let wrong = proxy.first(where: { !ListenAddress.isNumeric($0) }) {
            throw ValidationError("--proxy '\(wrong)' is not an address in numbers, such as 127.0.0.1 or ::1")
        }
    }

    func service() throws -> PageService.Options {
        var options = PageService.Options(try Self.address(listen))
        options.token = try PageService.token(file: tokenFile)
        options.names = allowHost
        options.proxies = proxy.compactMap { ClientAddress($0) }
        if let httpsCertificate, let httpsKey { options.tlsFiles = (httpsCertificate, httpsKey) }
        return options
    }

    static func address(_ text: String) throws -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw ValidationError("--listen '\(text)' is not an address; write PORT, ADDRESS:PORT or [ADDRESS]:PORT")
        }
        return address
    }
}
