import CCairo
import Frames

extension Canvas {
    /// What stands for a picture where there is none to make coarse.
    private static let cover = Color(red: 0.5, green: 0.5, blue: 0.5)

    /// Replaces what was drawn inside a shape by the means of cells.
    ///
    /// - Parameters:
    ///   - outline: the shape.
    ///   - cell: the side of a cell in points; at least four pixels are taken together.
    ///   - isSmooth: whether the cells' colours run into each other.
    func coarsen(_ outline: Outline, cell: Double, isSmooth: Bool) {
        guard let box = outline.bounds, cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE else {
            return fill(outline, Self.cover)
        }
        // Whole pixels, and only those that are there.
        let left = max(0, (box.x * scale).rounded(.down))
        let top = max(0, (box.y * scale).rounded(.down))
        let right = min(Double(pixelSize.width), ((box.x + box.width) * scale).rounded(.up))
        let bottom = min(Double(pixelSize.height), ((box.y + box.height) * scale).rounded(.up))
        guard right > left, bottom > top else { return }
        let side = max(4, cell * scale)
        let (columns, rows) = (max(1, ((right - left) / side).rounded()), max(1, ((bottom - top) / side).rounded()))
        guard let small = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(columns), Int32(rows)),
            let drawing = cairo_create(small)
        else { return fill(outline, Self.cover) }
        defer {
            cairo_destroy(drawing)
            cairo_surface_destroy(small)
        }
        cairo_scale(drawing, columns / (right - left), rows / (bottom - top))
        cairo_set_source_surface(drawing, surface, -left, -top)
        // Averages all pixels of a cell.
        cairo_pattern_set_filter(cairo_get_source(drawing), CAIRO_FILTER_GOOD)
        cairo_pattern_set_extend(cairo_get_source(drawing), CAIRO_EXTEND_PAD)
        cairo_paint(drawing)
        guard cairo_status(drawing) == CAIRO_STATUS_SUCCESS else { return fill(outline, Self.cover) }
        clipped(to: outline) {
            cairo_identity_matrix(context)
            cairo_translate(context, left, top)
            cairo_scale(context, (right - left) / columns, (bottom - top) / rows)
            cairo_set_source_surface(context, small, 0, 0)
            cairo_pattern_set_filter(
                cairo_get_source(context),
                isSmooth ? CAIRO_FILTER_BILINEAR : CAIRO_FILTER_NEAREST
            )
            cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
            cairo_paint(context)
        }
    }
}
