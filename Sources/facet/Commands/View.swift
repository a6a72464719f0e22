struct View: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the live overlay in the terminal.",
        discussion: """
            Over the daemon's preview if its owner switched that on, else on a plain ground. With --over alone, over a \
            clip that the daemon plays, by the messages' mediaTime; with --metadata too, without any broker. As pixels \
            where the terminal can show them (kitty, sixel), else in coloured cells; sized to the window.

            Keys: \(ViewControls.help).

            Examples:
              facet view --overlay santa --mirror
              facet view --mqtt mqtt://camera.local --topic porch/faces
              facet view --camera porch          by its name, where there are several
              facet view --source /dev/video0    without a daemon, to aim the camera
              facet view --over clip.mp4 --metadata clip.jsonl --overlay mesh
            """
    )

    @Option(help: "How the terminal shows pixels. Chosen automatically if left out.")
    var format: TerminalFormat?

    @Option(help: "The most redraws a second", in: 1...60)
    var rate = 25

    @Option(help: "How the picture fills the terminal: whole with bars, cut off at two sides, or stretched.")
    var fit = VideoGravity.resizeAspect

    @Flag(help: "Draw how much each face smiles as a bar, with the level above which a smile begins.")
    var levels = false

    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var clip: ClipOptions
    @OptionGroup var live: SourceOptions

    func run() async throws {
        let recorded = try clip.load(needsMetadata: false)
        let subscriber = recorded?.track == nil ? try await live.subscriber(command: "view") : Subscriber()
        var session = try ViewSession(subscriber, over: recorded, drawing.style, format: format)
        session.controls.gravity = fit
        session.controls.showsLevels = levels
        try await session.run(rate: rate)
    }
}
