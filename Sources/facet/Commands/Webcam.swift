struct Webcam: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the live picture with the overlay as a camera, for video calls.",
        discussion: """
            Writes into a node of v4l2loopback, which other programs then read as a camera: in the pictures' size, each as \
            it comes, up to 30 a second. Make the node once: \
            sudo modprobe v4l2loopback video_nr=20 card_label=Facet exclusive_caps=1. Ends with Ctrl-C.

            Examples:
              facet webcam --overlay santa --to /dev/video20 --source auto
              facet webcam --overlay blur --to /dev/video20 --camera porch
            """
    )

    @Option(help: .init("The node to write into.", valueName: "node"))
    var to: String

    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var live: SourceOptions

    func run() async throws {
        try await WebcamOutput.run(to, drawing.style, try await live.subscriber(command: "webcam"))
    }
}
