import CCairo
import Frames

/// A surface of Cairo's, which is destroyed with this object.
final class Surface {
    let pointer: OpaquePointer

    /// Takes over a surface, which Cairo always returns, if need be with an error.
    init(owning pointer: OpaquePointer, _ size: FrameSize) throws(CanvasError) {
        self.pointer = pointer
        try CanvasError.check(cairo_surface_status(pointer), Self.attempt(size), remedy: Self.remedy)
    }

    private static func attempt(_ size: FrameSize) -> String { "cannot make a picture of \(size) pixels to draw on" }
    private static let remedy = "; choose a smaller size"

    /// Pixels, all of them zero.
    convenience init(_ format: cairo_format_t, _ size: FrameSize) throws(CanvasError) {
        guard let width = Int32(exactly: size.width), let height = Int32(exactly: size.height), width > 0, height > 0
        else { throw CanvasError("\(Self.attempt(size)): no side may be empty\(Self.remedy)") }
        try self.init(owning: cairo_image_surface_create(format, width, height), size)
    }

    deinit { cairo_surface_destroy(pointer) }

    /// Whether it has pixels, and not shapes of a document.
    var isImage: Bool { cairo_surface_get_type(pointer) == CAIRO_SURFACE_TYPE_IMAGE }

    /// The number of its pixels.
    var size: FrameSize {
        FrameSize(
            width: Int(cairo_image_surface_get_width(pointer)),
            height: Int(cairo_image_surface_get_height(pointer))
        )
    }

    /// All of it.
    var all: SurfaceRect { SurfaceRect(x: 0, y: 0, width: Double(size.width), height: Double(size.height)) }

    /// A part in another size, the border's colours beyond it.
    func resampled(
        from part: SurfaceRect,
        _ size: FrameSize,
        _ filter: cairo_filter_t,
        _ format: cairo_format_t = CAIRO_FORMAT_RGB24
    ) throws(CanvasError) -> Surface {
        let canvas = try Canvas(Surface(format, size))
        cairo_scale(canvas.context, canvas.size.width / part.width, canvas.size.height / part.height)
        canvas.setSource(self, filter, at: [-part.x, -part.y])
        cairo_paint(canvas.context)
        try canvas.check()
        return canvas.surface
    }
}
