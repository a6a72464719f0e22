/// Writes a page that shows every overlay on the faces of the same picture or clip.
package enum OverlayGallery {
    /// The maximum width and height of each overlay's picture, in pixels.
    private static let side = 480.0
    /// The number of frames at the beginning of a clip, about five seconds, among which the best one is chosen.
    private static let framesOfClip = 150
    /// The number of times that a picture file is analysed, since expressions need several frames.
    private static let framesOfPicture = 8

    /// Writes the page. Throws `CommandFailure` if there is no face in the file, or the page cannot be written.
    package static func write(_ overlays: [(name: String, overlay: any Overlay)], over path: String, to page: String)
        async throws
    {
        let picture = Picture()
        let scene = try await bestFrame(of: path, in: picture)
        let encoder = try JPEGEncoder(quality: 80)
        let shown = surroundings(of: scene.faces)
        let scale = side / max((shown.size * (picture.uprightSize?.points ?? .zero)).max(), 1)
        let figures = try overlays.map { name, overlay in
            let jpeg = try picture.jpeg(of: shown, scale: scale, with: encoder) { canvas, geometry in
                canvas.draw(scene, geometry, overlay: overlay, at: 0)
            }
            guard let image = jpeg?.jpegSource else { throw CommandFailure("the faces have no area to draw over") }
            let text = name.printable.escapedForHTML
            return #"<figure><img src="\#(image)" alt="\#(text)"><figcaption>\#(text)</figcaption></figure>"#
        }
        let values = ["figures": figures.joined(separator: "\n"), "style": PageParts.style, "version": facetBuild]
        try OutputPath.write(PackageResources.overlays_html.filled(values), to: page)
    }

    /// Returns the faces of the frame with the most faces and then the broadest smile. Copies its pixels to `picture`.
    private static func bestFrame(of path: String, in picture: Picture) async throws -> Scene {
        var options = FaceSession.Options()
        options.frames = .full
        options.landmarks = true
        let origin = MessageOrigin(camera: path, boot: "")
        var scene = Scene()
        var best = -1.0
        var left = OutputPath.isPicture(path) ? framesOfPicture : framesOfClip
        try await FaceSession.analyse(path, options) { update in
            guard let frame = update.frame, let stamp = update.stamp else { return true }
            let value = Double(update.faces.count) + (update.faces.compactMap(\.smile).max() ?? 0)
            if !update.faces.isEmpty, value >= best {
                best = value
                try picture.update(from: frame)
                scene = Scene()
                scene.apply(.metadata(MetadataMessage(origin: origin, stamp: stamp, faces: update.faces)), at: 0)
            }
            left -= 1
            return left > 0
        }
        guard best >= 0 else {
            let remedy = "name a picture with one with --over"
            throw CommandFailure("there is no face in \(path) to draw over", remedy: remedy)
        }
        return scene
    }

    /// The part of the picture that contains the faces, with enough room around them for hats.
    private static func surroundings(of faces: [FaceObject]) -> NormalizedRect {
        let boxes = faces.map(\.bounds)
        let low = boxes.map { $0.origin - [0.8, 0.9] * $0.size }.reduce([1, 1], pointwiseMin)
        let high = boxes.map { $0.origin + [1.8, 1.5] * $0.size }.reduce([0, 0], pointwiseMax)
        return NormalizedRect(from: pointwiseMax(low, .zero), to: pointwiseMin(high, .one))
    }
}
