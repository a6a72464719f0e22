struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draws the overlay over clips and pictures, in one step.",
        discussion: """
            Finds the faces itself: no daemon and no broker is needed. A clip becomes a clip and a picture becomes a \
            picture, in the format that the ending of the output's name stands for. A directory becomes a directory \
            with all its clips and pictures; a clip in a format that is only read, such as a.mpg, becomes a.mpg.mp4. The sound of a clip is copied unchanged where the format can hold it. The \
            output appears under its name when it is complete; Ctrl-C ends a clip early, keeps what is there, \
            leaves out what is left of a directory, and ends with status 130.

            It looks ahead: a face is drawn over from the first frame in which it is seen to the last, and nothing is drawn \
            after a cut. With an overlay that hides faces, all that the detector takes for a face is hidden, and for a moment \
            before and after too. Status 3, with a warning, means that there were more faces than --maximum-faces, or that a \
            face that was to be hidden was lost inside the picture, as of a person who turns away.

            Examples:
              facet apply clip.mp4 --overlay santa         writes clip.santa.mp4
              facet apply portrait.jpg --overlay hearts -o hearts.png
              facet apply holidays -o holidays-with-hats --overlay santa
              facet apply clip.mp4 --overlay party.yaml -o party.mp4    one of your own
              facet apply street.mp4 --overlay silhouette --strict -o hidden.mp4
            """
    )

    @Argument(help: "The clip, the picture or the directory.", completion: .file())
    var input: String

    @Option(
        name: .shortAndLong,
        help: "The file or the directory to write; without it clip.OVERLAY.mp4 beside clip.mp4.",
        completion: .file()
    )
    var output: String?

    @Option(help: "How many faces are followed at the same time", in: 1...1000)
    var maximumFaces = 32

    @Flag(help: "Look for faces that lie on their side or upside down too, in the first frame of each scene.")
    var turned = false

    @Flag(help: "Fail, and write nothing, where a warning would be given.")
    var strict = false

    @OptionGroup var replacing: ReplacingOption
    @OptionGroup var drawing: DrawingOptions

    func run() async throws {
        let interruption = Interruption()
        defer { interruption.cancel() }
        let job = try OverlayJob(
            drawing.style,
            maximumFaces: maximumFaces,
            findsTurned: turned,
            isStrict: strict,
            replaces: replacing.force
        )
        let output = output ?? OverlayJob.output(for: input, drawing.overlay)
        let hasWarned = try await job.run(input, to: output, until: interruption)
        guard !interruption.isRaised else {
            throw interruption.status("the last file ends early or is not written, and no file after it is")
        }
        if hasWarned { throw ExitCode(3) }
    }
}
