struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Records a clip with the overlay, or without.",
        discussion: """
            From the live preview until Ctrl-C or for --seconds; or, with --over and --metadata, from a clip and what \
            `facetd --print` wrote about it. The file appears when it is whole; Ctrl-C ends it and keeps what was recorded.

            Examples:
              facet record -o party.mp4 --overlay santa --seconds 20
              facet record -o out.mp4 --over clip.mp4 --metadata clip.jsonl
            """
    )

    @Option(
        name: .shortAndLong,
        help: "The clip to write: \(OutputPath.names(ClipWriter.knownEndings)).",
        completion: .file()
    )
    var output: String

    @Option(help: "How long; without it until Ctrl-C, or to the end of the clip.", transform: facet.seconds)
    var seconds: Double?

    @Flag(help: "Only the picture, no overlay.")
    var plain = false

    @OptionGroup var replacing: ReplacingOption
    @OptionGroup var clip: ClipOptions
    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var live: SourceOptions

    func run() async throws {
        try OutputPath.check(output, endings: ClipWriter.knownEndings, what: "a clip", replaces: replacing.force)
        var recorder = OverlayRecorder(output, try OverlayPicture(plain ? nil : drawing.style))
        if let (path, track) = try clip.load(needsMetadata: !plain) {
            try OutputPath.checkIsNot(output, path)
            try recorder.record(path, track, metadata: clip.metadata, seconds: seconds)
        } else {
            try await recorder.record(try await live.subscriber(command: "record"), seconds: seconds)
        }
    }
}
