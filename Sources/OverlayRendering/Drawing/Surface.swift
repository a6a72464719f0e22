import CCairo

/// The owner of a Cairo surface, which is destroyed with this object.
final class Surface {
    let pointer: OpaquePointer

    /// Takes ownership of a surface; throws if Cairo returned it with an error.
    init(owning pointer: OpaquePointer, _ size: FrameSize) throws(CanvasError) {
        self.pointer = pointer
        if let reason = cairo_surface_status(pointer).failure { throw Self.failure(size, reason) }
    }

    private static func failure(_ size: FrameSize, _ reason: String) -> CanvasError {
        CanvasError("cannot make a picture of \(size) pixels to draw on: \(reason); choose a smaller size")
    }

    convenience init(_ format: cairo_format_t, _ size: FrameSize) throws(CanvasError) {
        guard let width = Int32(exactly: size.width), let height = Int32(exactly: size.height), width > 0, height > 0
        else { throw Self.failure(size, "no side may be empty") }
        try self.init(owning: cairo_image_surface_create(format, width, height), size)
    }

    deinit { cairo_surface_destroy(pointer) }

    /// Whether the surface has pixels; an SVG document has none.
    var isImage: Bool { cairo_surface_get_type(pointer) == CAIRO_SURFACE_TYPE_IMAGE }

    var size: FrameSize {
        let width = cairo_image_surface_get_width(pointer)
        return FrameSize(width: Int(width), height: Int(cairo_image_surface_get_height(pointer)))
    }

    var all: SurfaceRect { SurfaceRect(origin: .zero, size: size.points) }

    /// Copies a part of the surface in another size. Beyond the surface, the colours of its border continue.
    func resampled(
        from part: SurfaceRect,
        _ size: FrameSize,
        _ filter: cairo_filter_t,
        _ format: cairo_format_t
    ) throws(CanvasError) -> Surface {
        let canvas = try Canvas(Surface(format, size))
        cairo_scale(canvas.context, canvas.size.width / part.width, canvas.size.height / part.height)
        cairo_translate(canvas.context, -part.x, -part.y)
        canvas.setSource(self, filter)
        cairo_paint(canvas.context)
        try canvas.check()
        return canvas.surface
    }
}
