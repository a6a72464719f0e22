struct Snapshot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Takes a picture with the overlay, or without.",
        discussion: """
            From the live preview, at once or at the next event; from a clip in --source, the first picture in which a face \
            has entered; or, with --over and --metadata, from a clip and what `facetd --print` wrote about it.

            Examples:
              facet snapshot -o now.png
              facet snapshot -o smile.jpg --on smile --plain    the smile shutter
              facet snapshot -o porch.png --camera porch        where there are several
              facet snapshot -o face.png --source clip.mp4
              facet snapshot -o a.png --over clip.mp4 --metadata clip.jsonl --on smile
            """
    )

    @Option(name: .shortAndLong, help: "The picture to write: .png, .jpg or .jpeg.", completion: .file())
    var output: String

    @Flag(help: "Only the picture, no overlay.")
    var plain = false

    @Option(help: "Wait for the next event or sign of this name; with --over, go to the first.")
    var on: EventName?

    @Option(help: "With --over: the time in the clip, in seconds.", value: "seconds")
    var at: Double?

    @OptionGroup var replacing: ReplacingOption
    @OptionGroup var clip: ClipOptions
    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var live: SourceOptions

    func validate() throws {
        guard at == nil || on == nil else { throw ValidationError("--at and --on exclude each other") }
        guard at == nil || clip.over != nil else { throw ValidationError("--at is a time in a clip: add --over CLIP") }
        if let at, !(at >= 0 && at.isFinite) { throw ValidationError("--at must be 0 or more seconds, not \(at)") }
    }

    func run() async throws {
        try OutputPath.checkPicture(output, replaces: replacing.force)
        var snapshot = try SnapshotPicture(plain ? nil : drawing.style, on: on)
        if let (clip, track) = try clip.load(needsMetadata: !plain || on != nil) {
            try OutputPath.checkIsNot(output, clip)
            try snapshot.draw(clip, track, at: at).write(to: output)
        } else {
            let awaited = [on?.topic].compactMap(\.self)
            let subscriber = try await live.subscriber(command: "snapshot", awaiting: awaited)
            try await snapshot.draw(subscriber, wantsFace: live.isFile).write(to: output)
        }
        Console.note("wrote \(output)")
    }
}
