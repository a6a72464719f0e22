struct OverlayList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overlays",
        abstract: "Lists the overlays, or makes a page with a picture of each.",
        discussion: """
            The page is one HTML file that needs no other file, no script and no network. Its pictures are of the faces in \
            --over, which it finds itself; without --over, of the demo's clip. Files of overlays of your own are shown too.

            Such a file names PNGs beside it and what each sticks to, with lengths in widths of the face:
              hat:
                image: party-hat.png
                anchor: head      eyes, leftEye, rightEye, mouth, upperLip, head or box
                width: 0.95
                offset: [0.05, -1.2]
            The keys: docs/companion.md. Examples with their pictures, by their names: \
            \(OverlayChoice.examples.joined(separator: ", ")).

            Examples:
              facet overlays
              facet overlays --gallery overlays.html
              facet overlays mine.yaml --gallery overlays.html --over friends.jpg
              facet view --overlay party
            """
    )

    @Argument(
        help: "The files of overlays of your own, to be shown too.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var files: [String] = []

    @Option(help: "The page to write, .html.", completion: .file())
    var gallery: String?

    @Option(help: "The picture or the clip with faces to draw over.", completion: .file())
    var over: String?

    func validate() throws {
        if gallery == nil, over != nil { throw ValidationError("--over is for the page: name it with --gallery") }
    }

    func run() async throws {
        let choices = OverlayName.allCases.map(OverlayChoice.builtIn) + files.map(OverlayChoice.file)
        let overlays = try choices.map { (name: $0.name, overlay: try DrawingStyle(overlay: $0).overlays()[$0.name]) }
        guard let gallery else {
            let width = overlays.map(\.name.printable.cells).max() ?? 0
            for name in overlays.map(\.name) {
                let summary = OverlayName(rawValue: name)?.summary ?? "an overlay of your own"
                Console.print(line: "\(name.printable.padding(to: width))  \(summary)")
            }
            for example in OverlayChoice.examples {
                Console.print(line: "\(example.padding(to: width))  an example of an overlay of your own")
            }
            return
        }
        try OutputPath.check(gallery, endings: ["html", "htm"], what: "a page", replaces: true)
        let path = try over ?? DemoClip.path(or: "--over")
        try OutputPath.checkIsNot(gallery, path)
        try await OverlayGallery.write(overlays, over: path, to: gallery)
        Console.note("wrote \(gallery): \(overlays.count) overlays")
    }
}
