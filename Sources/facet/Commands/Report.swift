struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a page about a clip or a stretch of time: faces, best smiles, events.",
        discussion: """
            From what `facetd --print` wrote; from a clip, in which it finds the faces itself; or, without a file, from a \
            daemon until Ctrl-C or for --seconds. The page is one HTML file that needs no other file and no network. With a \
            clip it shows each face's best smile and a picture of each event. It names the clip, but not its directory. \
            report.html#t=12.5 shows the moment 12.5 s from the beginning.

            Ctrl-C ends a clip or a file early and keeps what was found, with status 130; the page says so.

            Examples:
              facet report clip.jsonl -o report.html
              facet report clip.jsonl --over clip.mp4 -o report.html
              facet report clip.mp4 -o report.html
              facet report clip.mp4 --json
              facet report --topic porch/faces --seconds 3600 -o hour.html
            """
    )

    @Argument(help: "Lines of `facetd --print` (.jsonl, or - for standard input), or a clip.", completion: .file())
    var input: String?

    @Option(name: .shortAndLong, help: "The page to write, .html.", completion: .file())
    var output: String?

    @Flag(help: "Print the figures as JSON; the page is only written with --output then.")
    var json = false

    @Option(help: "The clip that the lines are about, for pictures.", value: "clip")
    var over: String?

    @Option(help: "How long a daemon is followed; without it until Ctrl-C.", transform: facet.seconds)
    var seconds: Double?

    @OptionGroup var replacing: ReplacingOption
    @OptionGroup var live: SourceOptions

    func validate() throws {
        guard output != nil || json else {
            throw ValidationError("name the page to write: -o report.html, or add --json")
        }
        guard input != nil else {
            if over != nil { throw ValidationError("--over belongs to a file of messages: name that too") }
            return
        }
        if seconds != nil || live.source != nil || live.broker.camera != nil {
            throw ValidationError("--seconds, --source and --camera are for a live report; leave them out, or the file")
        }
    }

    func run() async throws {
        if let output {
            try OutputPath.check(output, endings: ["html", "htm"], what: "a page", replaces: replacing.force)
            if let input { try OutputPath.checkIsNot(output, input) }
        }
        guard let input else {
            let subscriber = try await live.subscriber(command: "report", topics: Topic.followed)
            return try await write(picturesOf: nil) {
                try await FaceReport(following: subscriber, for: seconds, until: $0)
            }
        }
        let isClip = FaceReport.isClip(input)
        try await write(picturesOf: isClip ? input : over) {
            try await isClip
                ? FaceReport(clip: input, until: $0) : FaceReport(messages: input, over: over, until: $0)
        }
    }

    private func write(picturesOf clip: String?, _ gather: (Interruption) async throws -> FaceReport) async throws {
        let interruption = Interruption()
        defer { interruption.cancel() }
        let report = try await gather(interruption)
        let hasPictures = Result { try output.map { try report.write(to: $0, picturesOf: clip, until: interruption) } }
        if json { try Console.print(prettyPrinted: report.json) }
        if let failure = report.failure { throw failure }
        if report.endsEarly { throw interruption.status("the report ends early") }
        if try hasPictures.get() == false { throw interruption.status("pictures are missing in the report") }
    }
}
