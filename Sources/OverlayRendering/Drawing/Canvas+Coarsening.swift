import CCairo
import Frames

extension Canvas {
    /// What stands for a picture where there is none to make coarse.
    private static let cover = Color(red: 0.5, green: 0.5, blue: 0.5)

    /// Replaces what was drawn inside a shape by the means of cells.
    ///
    /// - Parameters:
    ///   - outline: the shape.
    ///   - cell: the side of a cell; at least eight pixels are taken together.
    ///   - isSmooth: whether the cells' colours run into each other.
    func coarsen(_ outline: Outline, cell: Double, isSmooth: Bool) {
        guard let box = outline.bounds, cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE else {
            return fill(outline, Self.cover)
        }
        // Whole pixels, and only those that are there.
        let left = max(0, box.x.rounded(.down))
        let top = max(0, box.y.rounded(.down))
        let right = min(Double(pixelSize.width), (box.x + box.width).rounded(.up))
        let bottom = min(Double(pixelSize.height), (box.y + box.height).rounded(.up))
        guard right > left, bottom > top else { return }
        let side = max(8, cell)
        let (columns, rows) = (max(1, ((right - left) / side).rounded()), max(1, ((bottom - top) / side).rounded()))
        // Averages all pixels of a cell.
        guard var coarse = Self.resampled(surface, from: (left, top, right, bottom), columns, rows, CAIRO_FILTER_GOOD)
        else { return fill(outline, Self.cover) }
        defer { cairo_surface_destroy(coarse) }
        // Doubled step by step, the cells' colours run into each other without edges: an edge would be as much detail as the
        // face had. Squares stay squares where ten pixels are left for what is between them.
        var factor = isSmooth ? 1 : max(1, min(3, (side / 10).rounded(.down)))
        var filter = CAIRO_FILTER_NEAREST
        repeat {
            let whole = (
                0.0, 0.0, Double(cairo_image_surface_get_width(coarse)), Double(cairo_image_surface_get_height(coarse))
            )
            let (width, height) = (columns * factor, rows * factor)
            guard let larger = Self.resampled(coarse, from: whole, width, height, filter) else {
                return fill(outline, Self.cover)
            }
            cairo_surface_destroy(coarse)
            coarse = larger
            filter = CAIRO_FILTER_BILINEAR
            factor *= 2
        } while columns * factor < right - left
        let (width, height) = (cairo_image_surface_get_width(coarse), cairo_image_surface_get_height(coarse))
        clipped(to: outline) {
            cairo_identity_matrix(context)
            cairo_translate(context, left, top)
            cairo_scale(context, (right - left) / Double(width), (bottom - top) / Double(height))
            cairo_set_source_surface(context, coarse, 0, 0)
            cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_BILINEAR)
            cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
            cairo_paint(context)
        }
    }

    /// A part of a picture in another size, the border's colours beyond it; nil if there is no memory.
    static func resampled(
        _ source: OpaquePointer,
        from part: (left: Double, top: Double, right: Double, bottom: Double),
        _ columns: Double,
        _ rows: Double,
        _ filter: cairo_filter_t,
        _ format: cairo_format_t = CAIRO_FORMAT_RGB24
    ) -> OpaquePointer? {
        guard let result = cairo_image_surface_create(format, Int32(columns), Int32(rows)),
            let drawing = cairo_create(result)
        else { return nil }
        defer { cairo_destroy(drawing) }
        cairo_scale(drawing, columns / (part.right - part.left), rows / (part.bottom - part.top))
        cairo_set_source_surface(drawing, source, -part.left, -part.top)
        cairo_pattern_set_filter(cairo_get_source(drawing), filter)
        cairo_pattern_set_extend(cairo_get_source(drawing), CAIRO_EXTEND_PAD)
        cairo_paint(drawing)
        guard cairo_status(drawing) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(result)
            return nil
        }
        return result
    }
}
