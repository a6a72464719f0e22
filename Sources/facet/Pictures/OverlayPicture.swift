import FaceMetadata
import Frames
import MediaFiles
import OverlayRendering

/// Draws a scene over a picture.
struct OverlayPicture {
    /// How faces are drawn; nil leaves them out.
    private let look: (any Look)?

    private let isMirrored: Bool

    /// Whether it makes the faces in pictures unrecognisable.
    var hidesFaces: Bool { look?.hidesFaces ?? false }

    /// Draws as the options ask.
    ///
    /// - Throws: `CommandFailure` if the look is a file that cannot be used.
    init(_ options: OverlayOptions, isPlain: Bool = false) throws {
        look = isPlain ? nil : try options.looks()[options.look.name]
        isMirrored = options.mirror
    }

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
                isMirrored: isMirrored
            )
        else { throw CommandFailure("the picture has no area to draw over") }
        canvas.clear(.black)
        canvas.draw(picture, geometry)
        if let look { canvas.draw(scene, geometry, look: look, at: seconds) }
        try canvas.check()
    }
}

final class PreviewDecoder {
    /// The newest picture.
    let picture = Picture()

    private let decoder: JPEGDecoder

    init() throws { decoder = try JPEGDecoder() }

    func decode(_ new: PreviewPicture, target: FrameSize? = nil) throws {
        switch new.content {
        case .jpeg(let bytes): try picture.update(from: try decoder.decode(bytes, for: target), target: target)
        case .frame(let frame): try picture.update(from: frame, target: target)
        }
    }
}

extension Canvas {
    /// Lends what was drawn as a frame, while `body` runs.
    func withFrame<Result>(mediaTime: Double = 0, _ body: (Frame) throws -> Result) throws -> Result {
        try check()
        return try withPixels { pixels, bytesPerRow in
            guard let base = pixels.baseAddress else { throw CanvasError.drawing(reason: "there is no memory") }
            let plane = Frame.Plane(base: base, bytesPerRow: bytesPerRow)
            return try body(Frame(borrowing: plane, size: pixelSize, format: .bgra, mediaTime: mediaTime))
        }
    }
}
