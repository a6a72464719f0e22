import FaceMetadata
import Frames
import OverlayRendering

/// Draws a scene over a picture, in a size of its own.
struct OverlayPicture {
    /// How faces are drawn.
    var options: OverlayOptions

    /// Whether faces are left out.
    var isPlain = false

    /// Draws a picture with the scene over it, as large as the picture unless a size is given.
    func draw(_ picture: Picture, scene: Scene, at seconds: Double, size: FrameSize? = nil) throws -> Canvas {
        guard let pictureSize = picture.uprightSize else { throw CommandFailure("there is no picture to draw over") }
        let canvas = try Canvas(pixelSize: size ?? pictureSize)
        try draw(picture, scene: scene, at: seconds, on: canvas)
        return canvas
    }

    /// Draws a picture with the scene over it on a canvas that is used again.
    func draw(_ picture: Picture, scene: Scene, at seconds: Double, on canvas: Canvas) throws {
        guard let pictureSize = picture.uprightSize,
            let geometry = PreviewLayerGeometry(
                size: canvas.size,
                pictureSize: pictureSize,
                videoGravity: options.gravity,
                isMirrored: options.mirror
            )
        else { throw CommandFailure("the picture has no area to draw over") }
        canvas.clear(.black)
        canvas.draw(picture, geometry)
        if !isPlain { canvas.draw(scene, geometry, look: options.look.look, at: seconds) }
        try canvas.check()
    }
}
