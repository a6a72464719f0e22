struct Zones: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draws zones and ignored areas on the camera's picture, for the settings.",
        discussion: """
            Opens a page on which areas are drawn with the mouse or a finger, over the preview of the daemon's camera, or the \
            camera, clip or picture file of --source. Prints the settings, or writes them into the file of --write, whose \
            areas it shows first.

            Examples:
              facet zones
              facet zones --source picture.jpg
              facet zones --camera porch --write /etc/facet/facetd.yaml
            """
    )

    @Option(help: "Write the areas into this settings file, and leave everything else in it as it is.")
    var write: String?

    @Option(help: .init("Where to listen: PORT, ADDRESS:PORT or [ADDRESS]:PORT.", valueName: "address"))
    var listen = "127.0.0.1:0"

    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var browser = true

    @OptionGroup var live: SourceOptions

    func run() async throws {
        let editor = AreaEditor(path: write) { Console.print(styled: $0.printableLines) }
        _ = try editor.areas()
        var options = PageService.Options(try PageOptions.address(listen))
        options.token = try PageService.token()
        options.style = DrawingStyle(overlay: .builtIn(.box))
        let service = try PageService(options, editor: editor)
        let subscriber = try await live.subscriber(command: "zones", loops: true)
        try await service.run(subscriber, try live.broker.access()) { url in
            Console.note("draw the areas at \(url)zones; Ctrl-C ends")
            if browser { ShellCommand.openInBrowser(url + "zones") }
        }
    }
}
