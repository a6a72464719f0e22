import Companion
import FaceMessages
import FacetKit
import Frames
package import OverlayRendering

/// A page with a picture of each overlay, drawn over the faces of a picture or a clip.
package enum OverlayGallery {
    /// How large the pictures are at most, in pixels.
    private static let side = 480.0
    /// How many frames are searched for the best one: five seconds of a clip; a picture until expressions are known.
    private static let frames = (clip: 150, picture: 8)

    /// Writes the page; throws `CommandFailure` if there is no face in the file, or the page cannot be written.
    package static func write(_ overlays: [(name: String, overlay: any Overlay)], over path: String, to page: String)
        async throws
    {
        let (picture, scene) = try await subject(path)
        let encoder = try JPEGEncoder(quality: 80)
        let figures = try overlays.map { name, overlay in
            let image = try draw(overlay, over: picture, scene, with: encoder)
            let text = name.printable.escapedForHTML
            return #"<figure><img src="\#(image)" alt="\#(text)"><figcaption>\#(text)</figcaption></figure>"#
        }
        let values = ["figures": figures.joined(separator: "\n"), "style": PageParts.style, "version": facetVersion]
        try OutputPath.write(PackageResources.overlays_html.filled(values), to: page)
    }

    /// The frame of a file with the most faces, and of those the one with the broadest smile.
    private static func subject(_ path: String) async throws -> (Picture, Scene) {
        var options = FaceSession.Options()
        options.frames = .full
        options.landmarks = true
        let picture = Picture()
        let messages = UpdateMessages(camera: UpdateMessages.fileCamera)
        var scene = Scene()
        var best = -1.0
        var left = OutputPath.isPicture(path) ? frames.picture : frames.clip
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
        let image = try EmbeddedPicture.source(shown, of: picture, scale: side / largest, with: encoder) {
            $0.draw(scene, $1, overlay: overlay, at: 0)
        }
        guard let image else { throw CommandFailure("the faces have no area to draw over") }
        return image
    }
}
