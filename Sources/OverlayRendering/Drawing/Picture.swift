import CCairo

/// A frame's pixels in the form that Cairo draws. The memory is reused for later frames of the same size.
package final class Picture {
    private(set) var surface: Surface?
    /// The surface on which `jpeg` drew last, kept for the next JPEG of the same size.
    private var drawn: Surface?
    private(set) var orientation = Orientation.up
    /// The size of the upright frame in pixels; nil before the first frame.
    package private(set) var uprightSize: FrameSize?
    /// Whether the pixels have an alpha channel, so that parts of the picture may be transparent.
    package private(set) var hasOpacity = false
    /// The colour space (primaries, transfer, ICC profile) of the frame; nil if it states none.
    package private(set) var colors: ColorStatement?

    package init() {}

    package func forget() {
        surface = nil
        drawn = nil
        uprightSize = nil
    }

    /// Copies a frame's pixels; throws `CanvasError` for a JPEG frame, or if the frame is too large. If `target`, the
    /// size at which it will be drawn, is much smaller, only every second, third, … pixel is copied.
    package func update(from frame: Frame, target: FrameSize? = nil) throws(CanvasError) {
        guard frame.format != .jpeg else { throw CanvasError("cannot draw a JPEG frame that was not decoded") }
        let upright = frame.uprightSize
        let stride = Self.stride(from: upright, to: target)
        let size = FrameSize(width: frame.size.width / stride, height: frame.size.height / stride)
        if surface?.size != size || hasOpacity != frame.hasOpacity { surface = nil }
        let format = frame.hasOpacity ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24
        let surface = if let surface { surface } else { try Surface(format, size) }
        self.surface = surface
        hasOpacity = frame.hasOpacity
        colors = frame.colors
        orientation = frame.orientation
        uprightSize = upright
        cairo_surface_flush(surface.pointer)
        guard let data = cairo_image_surface_get_data(surface.pointer) else {
            throw CanvasError("drawing failed: no memory to draw on")
        }
        frame.drawBGRA(stride: stride, into: data, bytesPerRow: Int(cairo_image_surface_get_stride(surface.pointer)))
        cairo_surface_mark_dirty(surface.pointer)
    }

    /// Returns the step between copied pixels: the largest with which no side becomes smaller than that of `target`.
    private static func stride(from size: FrameSize, to target: FrameSize?) -> Int {
        guard let target, target.width > 0, target.height > 0 else { return 1 }
        return max(1, min(size.width / target.width, size.height / target.height))
    }
}

extension Picture {
    /// Makes a JPEG of a part of the upright picture, scaled, with what `draw` adds; nil if the part has no area.
    package func jpeg(
        of part: NormalizedRect = .whole,
        scale: Double = 1,
        with encoder: JPEGEncoder,
        _ draw: (Canvas, PreviewLayerGeometry) -> Void = { _, _ in }
    ) throws -> [UInt8]? {
        guard let size = uprightSize else { return nil }
        let pixels = part.size * size.points * scale
        let pixelSize = FrameSize(pointwiseMax(pixels, [1, 1]))
        let target =
            if let drawn, drawn.size == pixelSize { drawn } else { try Surface(CAIRO_FORMAT_ARGB32, pixelSize) }
        drawn = target
        let canvas = Canvas(target)
        let geometry = PreviewLayerGeometry(
            size: canvas.size,
            pictureSize: size,
            videoGravity: .resizeAspectFill,
            cleanAperture: part
        )
        guard let geometry else { return nil }
        canvas.colors = colors
        canvas.clear(.black)
        canvas.draw(self, geometry)
        draw(canvas, geometry)
        return try canvas.withFrame { try encoder.encode($0) }
    }

    /// Returns a measure of a part's sharpness, to compare pictures of the same face: the size, in bytes, of a JPEG of
    /// the part whose longer side has 160 pixels. Fine details need more bytes.
    package func sharpness(of part: NormalizedRect) throws -> Int {
        let side = (part.size * (uprightSize?.points ?? .zero)).max()
        guard side >= 1, (part.origin + part.size).sum().isFinite else { return 0 }
        return try jpeg(of: part, scale: 160 / side, with: JPEGEncoder(quality: 80))?.count ?? 0
    }
}

extension Canvas {
    /// Draws a picture, if it has a frame. Its transparent parts show white, unless the canvas is transparent too. With
    /// `isSmooth`, reducing the picture averages all pixels, not only the nearest four.
    package func draw(_ picture: Picture, _ geometry: PreviewLayerGeometry, isSmooth: Bool = true) {
        guard let source = picture.surface else { return }
        let map = PlaneTransform.scaling(1 / source.all.size)
            .then(picture.orientation.uprightFromStored)
            .then(geometry.surfaceFromPicture)
        var matrix = map.cairo
        clipped(to: Outline(geometry.visibleRect)) {
            if picture.hasOpacity, !isTransparent { clear(.white) }
            cairo_transform(context, &matrix)
            // The colours continue beyond the edge, or else the outermost row of an enlarged picture would fade.
            setSource(source, isSmooth ? CAIRO_FILTER_GOOD : CAIRO_FILTER_BILINEAR)
            cairo_paint(context)
        }
    }
}
