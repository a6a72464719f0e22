import ArgumentParser
import FaceMessages
import FacetKit
import Foundation
import OverlayRendering

/// `facet overlays`: the overlays there are, by name or each with a picture.
struct OverlayGallery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overlays",
        abstract: "Lists the overlays, or makes a page with a picture of each.",
        discussion: """
            The page is one HTML file that needs no other file, no script and no network. Its pictures are of the faces in \
            --over, which it finds itself; without --over, of the demo's clip. Files of overlays of your own are shown too.

            Examples:
              facet overlays
              facet overlays --gallery overlays.html
              facet overlays party.yaml --gallery overlays.html --over friends.jpg
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

    /// How large the pictures are at most, in pixels.
    private static let side = 480.0
    /// How many frames are searched for the best one: five seconds of a clip; a picture until expressions are known.
    private static let frames = (clip: 150, picture: 8)

    func validate() throws {
        if gallery == nil, over != nil { throw ValidationError("--over is for the page: name it with --gallery") }
    }

    func run() async throws {
        let options = OverlayName.allCases.map(OverlayChoice.builtIn) + files.map(OverlayChoice.file)
        var overlays: [(name: String, overlay: any Overlay)] = []
        for option in options {
            var drawing = DrawingOptions()
            drawing.overlay = option
            overlays.append((option.name, try drawing.overlays()[option.name]))
        }
        guard let gallery else { return overlays.forEach { StandardOutput.print(line: $0.name.printable) } }
        try OutputPath.check(gallery, endings: ["html", "htm"], what: "a page")
        let path = try over ?? Demo.clip(or: "--over")
        try OutputPath.checkIsNot(gallery, path)
        let (picture, scene) = try await Self.subject(path)
        let encoder = try JPEGEncoder(quality: 80)
        let figures = try overlays.map { name, overlay in
            let (image, text) = (
                try Self.draw(overlay, over: picture, scene, with: encoder), name.printable.escapedForHTML
            )
            return #"<figure><img src="\#(image)" alt="\#(text)"><figcaption>\#(text)</figcaption></figure>"#
        }
        let values = [
            "figures": figures.joined(separator: "\n"), "style": HTMLDocument.colors, "version": facetVersion,
        ]
        try OutputPath.write(PackageResources.overlays_html.filled(values), to: gallery)
        StandardOutput.note("wrote \(gallery): \(overlays.count) overlays")
    }

    /// The frame of a file with the most faces, and of those the one with the broadest smile.
    private static func subject(_ path: String) async throws -> (Picture, Scene) {
        var options = FaceSession.Options()
        (options.frames, options.landmarks) = (.full, true)
        let (picture, messages) = (Picture(), UpdateMessages(camera: UpdateMessages.fileCamera))
        var (scene, best, left) = (Scene(), -1.0, OutputPath.isPicture(path) ? frames.picture : frames.clip)
        try await FaceSession.analyse(path, options) { update in
            guard let frame = update.frame, let stamp = update.stamp else { return true }
            let value = Double(update.faces.count) + (update.faces.compactMap(\.smile).max() ?? 0)
            if !update.faces.isEmpty, value >= best {
                best = value
                try picture.update(from: frame)
                scene = Scene()
                scene.apply(messages.metadata(stamp, update.faces), at: 0)
            }
            left -= 1
            return left > 0
        }
        guard best >= 0 else {
            throw CommandFailure(
                "there is no face in \(path) to draw over",
                remedy: "name a picture with one with --over"
            )
        }
        return (picture, scene)
    }

    /// The faces, with as much around them as a hat needs.
    private static func draw(
        _ overlay: any Overlay,
        over picture: Picture,
        _ scene: Scene,
        with encoder: JPEGEncoder
    ) throws -> String {
        let pictureSize = picture.uprightSize ?? FrameSize(width: 1, height: 1)
        let boxes = scene.faces.map(\.bounds)
        let left = max(0, boxes.map { $0.x - 0.8 * $0.width }.min() ?? 0)
        let right = min(1, boxes.map { $0.x + 1.8 * $0.width }.max() ?? 1)
        let top = max(0, boxes.map { $0.y - 0.9 * $0.height }.min() ?? 0)
        let bottom = min(1, boxes.map { $0.y + 1.5 * $0.height }.max() ?? 1)
        let shown = NormalizedRect(x: left, y: top, width: right - left, height: bottom - top)
        let largest = max(shown.width * Double(pictureSize.width), shown.height * Double(pictureSize.height), 1)
        let image = try HTMLDocument.image(shown, of: picture, scale: side / largest, with: encoder) {
            $0.draw(scene, $1, overlay: overlay, at: 0)
        }
        guard let image else { throw CommandFailure("the faces have no area to draw over") }
        return image
    }
}
