struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows Facet at work: a clip, the live page, and a lamp that goes on with a smile.",
        discussion: """
            Needs no camera and no broker: plays a clip of five seconds again and again. Where mosquitto is installed, it \
            starts one of its own on a free port of this machine, and facetd with it; else it finds the faces itself. Opens \
            the page in the browser where there is a display. Nothing leaves this machine, and all of it ends with Ctrl-C.

            Examples:
              facet demo
              facet demo --source auto      with the camera of this machine
              facet demo clip.mp4
              facet demo --seconds 10 --no-browser
            """
    )

    @Argument(help: "A clip instead of the demo's own.", completion: .file())
    var clip: String?

    @Option(help: "A camera, a clip or a stream instead of the demo's clip: auto, /dev/video0, clip.mp4, rtsp://….")
    var source: String?

    @Option(help: "End after this number of seconds; without it, at Ctrl-C.", transform: facet.seconds)
    var seconds: Double?

    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var browser = true

    func validate() throws {
        if clip != nil, source != nil { throw ValidationError("the clip and --source exclude each other") }
    }

    func run() async throws { try await DemoShow.run(source: source ?? clip, seconds: seconds, opensBrowser: browser) }
}
