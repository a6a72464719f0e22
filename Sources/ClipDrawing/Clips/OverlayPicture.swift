/// Draws a picture and, over it, an overlay on each face of a scene.
package struct OverlayPicture {
    /// The overlay to draw; nil if no faces are drawn.
    private let overlay: (any Overlay)?
    private let isMirrored: Bool
    private let hasEvenSides: Bool
    private var canvas: Canvas?
    /// Whether the overlay makes faces unrecognisable.
    package var hidesFaces: Bool { overlay?.hidesFaces ?? false }

    /// Prepares to draw faces in `style`, or none if nil. Throws `CommandFailure` if the overlay's file cannot be used.
    package init(_ style: DrawingStyle?, hasEvenSides: Bool = false) throws {
        overlay = try style.map { try $0.overlays()[$0.overlay.name] }
        isMirrored = style?.isMirrored ?? false
        self.hasEvenSides = hasEvenSides
    }

    /// Draws a picture and its faces' overlay on a canvas of the first picture's size, with black bars where needed.
    package mutating func draw(_ picture: Picture, scene: Scene, at seconds: Double) throws -> Canvas {
        guard let size = picture.uprightSize else { throw CommandFailure("there is no picture to draw over") }
        let even = FrameSize(width: size.width & ~1, height: size.height & ~1)
        let canvas = try canvas ?? Canvas(pixelSize: hasEvenSides ? even : size)
        self.canvas = canvas
        guard let geometry = PreviewLayerGeometry(size: canvas.size, pictureSize: size, isMirrored: isMirrored) else {
            throw CommandFailure("the picture has no area to draw over")
        }
        canvas.colors = picture.colors
        if picture.hasOpacity { canvas.erase() } else { canvas.clear(.black) }
        canvas.draw(picture, geometry)
        if let overlay { canvas.draw(scene, geometry, overlay: overlay, at: seconds) }
        try canvas.check()
        return canvas
    }
}

extension Canvas {
    /// Writes the canvas as a picture file.
    package func write(to path: String) throws {
        try OutputPath.checkPicture(path, replaces: true)
        try withFrame { try PictureWriter.write($0, to: path) }
    }
}
