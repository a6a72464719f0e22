import FaceMetadata
import Frames
import OverlayRendering

/// Draws a scene over a picture.
struct OverlayPicture {
    /// How faces are drawn.
    var options: OverlayOptions

    /// Whether faces are left out.
    var isPlain = false

    /// Draws a picture with the scene over it, as large as the picture.
    func draw(_ picture: Picture, scene: Scene, at seconds: Double) throws -> Canvas {
        guard let pictureSize = picture.uprightSize else { throw CommandFailure("there is no picture to draw over") }
        let canvas = try Canvas(pixelSize: pictureSize)
        try draw(picture, scene: scene, at: seconds, on: canvas)
        return canvas
    }

    /// Draws a picture with the scene over it on a canvas that is used again; a picture of another shape gets bars.
    func draw(_ picture: Picture, scene: Scene, at seconds: Double, on canvas: Canvas) throws {
        guard let pictureSize = picture.uprightSize,
            let geometry = PreviewLayerGeometry(
                size: canvas.size,
                pictureSize: pictureSize,
                isMirrored: options.mirror
            )
        else { throw CommandFailure("the picture has no area to draw over") }
        canvas.clear(.black)
        canvas.draw(picture, geometry)
        if !isPlain { canvas.draw(scene, geometry, look: options.look.look, at: seconds) }
        try canvas.check()
    }
}
