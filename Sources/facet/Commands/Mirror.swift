import ArgumentParser
import Frames
import MediaFiles
import OverlayRendering
import V4L2Capture

struct Mirror: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the live picture with the overlay as a camera, for video calls.",
        discussion: """
            Writes into a node of v4l2loopback, which other programs then read as a camera: in the pictures' size, each as \
            it comes, up to 30 a second. Make the node once: \
            sudo modprobe v4l2loopback video_nr=20 card_label=Facet exclusive_caps=1. Ends with Ctrl-C.

            Examples:
              facet mirror --look santa --to /dev/video20 --source auto
              facet mirror --look blur --to /dev/video20 --camera porch
            """
    )

    @Option(help: ArgumentHelp("The node to write into.", valueName: "node"))
    var to: String

    @OptionGroup var overlay: OverlayOptions
    @OptionGroup var live: SourceOptions

    func run() async throws {
        let drawing = try OverlayPicture(overlay)
        let output = try VideoOutput(to)
        let planar = try PlanarPicture()
        let subscriber = try await live.subscriber(command: "mirror")
        var canvas: Canvas?
        try await LivePictures.show(subscriber, hidesFaces: drawing.hidesFaces) { picture, scene, seconds in
            let shown = try canvas ?? begin(picture, on: output)
            canvas = shown
            try drawing.draw(picture, scene: scene, at: seconds, on: shown)
            try shown.withFrame { try planar.withBytes(of: $0, size: shown.pixelSize, for: to, output.show) }
        }
    }

    private func begin(_ picture: Picture, on output: VideoOutput) throws -> Canvas {
        guard let size = picture.uprightSize else { throw CommandFailure("there is no picture to show") }
        // Readers want even sides: chroma is halved.
        let even = FrameSize(width: size.width & ~1, height: size.height & ~1)
        try output.begin(even)
        StandardOutput.note("\(to) is a camera now: \(even); Ctrl-C ends it")
        return try Canvas(pixelSize: even)
    }
}
