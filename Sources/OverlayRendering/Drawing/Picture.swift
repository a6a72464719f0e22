import CCairo
package import Frames

/// A frame's pixels in the form Cairo draws; keeps its memory from frame to frame of the same size.
package final class Picture {
    private(set) var surface: OpaquePointer?
    private var size: FrameSize?
    private var frameSize: FrameSize?
    private(set) var orientation = Orientation.up

    package init() {}

    deinit {
        if let surface { cairo_surface_destroy(surface) }
    }

    /// The size of the upright picture, all its pixels counted; nil before the first frame.
    package var uprightSize: FrameSize? { frameSize.map(orientation.uprightSize(of:)) }

    package func forget() {
        if let surface { cairo_surface_destroy(surface) }
        (surface, size, frameSize) = (nil, nil, nil)
    }

    /// Takes over a frame's pixels.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - target: how large the picture will be drawn, in pixels; where that is much smaller, only every second, third, …
    ///     pixel is taken. Nil takes all.
    /// - Throws: `CanvasError.undecoded` for a frame that is still a JPEG, `.cannotCreate` if it is too large.
    package func update(from frame: Frame, target: FrameSize? = nil) throws(CanvasError) {
        guard frame.format != .jpeg else { throw .undecoded }
        let stride = Self.stride(from: frame.uprightSize, to: target)
        let surface = try surface(
            of: FrameSize(width: frame.size.width / stride, height: frame.size.height / stride)
        )
        orientation = frame.orientation
        frameSize = frame.size
        cairo_surface_flush(surface)
        guard let data = cairo_image_surface_get_data(surface) else { throw .drawing(reason: "no memory to draw on") }
        frame.drawBGRA(stride: stride, into: data, bytesPerRow: Int(cairo_image_surface_get_stride(surface)))
        cairo_surface_mark_dirty(surface)
    }

    /// How many pixels apart are taken, so that at least as many are left as will be drawn.
    private static func stride(from size: FrameSize, to target: FrameSize?) -> Int {
        guard let target, target.width > 0, target.height > 0 else { return 1 }
        return max(1, min(size.width / target.width, size.height / target.height))
    }

    private func surface(of wanted: FrameSize) throws(CanvasError) -> OpaquePointer {
        if let surface, size == wanted { return surface }
        if let surface { cairo_surface_destroy(surface) }
        (surface, size) = (nil, nil)
        let made = try Canvas.makeSurface(CAIRO_FORMAT_RGB24, wanted)
        surface = made
        size = wanted
        return made
    }
}

extension Canvas {
    /// Draws a picture where the geometry puts it; nothing if it holds no frame.
    ///
    /// - Parameters:
    ///   - picture: The picture; its own orientation makes it the upright one that the geometry speaks of.
    ///   - geometry: Where it goes, in points.
    ///   - isSmooth: Whether shrinking averages all pixels; otherwise it takes the nearest four, which is faster.
    package func draw(_ picture: Picture, _ geometry: PreviewLayerGeometry, isSmooth: Bool = true) {
        guard let source = picture.surface else { return }
        let stored = FrameSize(
            width: Int(cairo_image_surface_get_width(source)),
            height: Int(cairo_image_surface_get_height(source))
        )
        let map = PlaneTransform.scaling(1 / Double(stored.width), 1 / Double(stored.height))
            .then(picture.orientation.uprightFromStored)
            .then(geometry.surfaceFromPicture)
        let visible = geometry.visibleRect
        var matrix = map.cairo
        cairo_save(context)
        cairo_rectangle(context, visible.x, visible.y, visible.width, visible.height)
        cairo_clip(context)
        cairo_transform(context, &matrix)
        cairo_set_source_surface(context, source, 0, 0)
        cairo_pattern_set_filter(cairo_get_source(context), isSmooth ? CAIRO_FILTER_GOOD : CAIRO_FILTER_BILINEAR)
        // Without it, the outermost row would fade into nothing where the picture is enlarged.
        cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        cairo_paint(context)
        cairo_restore(context)
    }
}
