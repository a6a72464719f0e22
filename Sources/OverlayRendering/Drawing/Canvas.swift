import CCairo

/// A picture to draw on, in coordinates of one point per pixel. Not Sendable, since only the drawing code uses it.
package final class Canvas {
    package let pixelSize: FrameSize
    /// The size of a character cell in points if a terminal prints the texts (collected in `words`); nil to draw them.
    package var textCell: SurfaceSize?
    /// The texts for a terminal's cells since the last `removeWords`.
    var words: [CellWords] = []
    /// The side of each face on which its panel was last. The panel stays there while there is room.
    var panelSides: [FaceID: PanelPlace.Side] = [:]
    /// Whether parts of the drawing may be transparent, so that the canvas's frames have an alpha channel.
    private(set) var isTransparent = false
    /// The colour space (primaries, transfer, ICC profile) of the canvas's frames.
    package var colors: ColorStatement?
    let surface: Surface
    let context: OpaquePointer

    /// Makes a transparent canvas; throws `CanvasError` if a side is not 1 to 32767 pixels, Cairo's limit.
    package convenience init(pixelSize: FrameSize) throws(CanvasError) {
        self.init(try Surface(CAIRO_FORMAT_ARGB32, pixelSize))
    }

    /// Makes a canvas on a surface. An SVG document has no pixels, so `size` must be given for it.
    init(_ surface: Surface, size: FrameSize? = nil) {
        // Cairo always returns a context, perhaps with an error, which `check` throws.
        pixelSize = size ?? surface.size
        self.surface = surface
        context = cairo_create(surface.pointer)
    }

    deinit { cairo_destroy(context) }

    package var size: SurfaceSize { pixelSize.points }

    /// Makes the whole canvas transparent.
    package func erase() {
        isTransparent = true
        cairo_set_operator(context, CAIRO_OPERATOR_CLEAR)
        cairo_paint(context)
        cairo_set_operator(context, CAIRO_OPERATOR_OVER)
    }

    package func clear(_ color: Color) {
        setSource(color)
        cairo_paint(context)
    }

    /// Fills an outline. Where two of its shapes overlap, the area stays empty unless `overlaps` is set.
    func fill(_ outline: Outline, _ color: Color, overlaps: Bool = false) {
        trace(outline)
        setSource(color)
        cairo_set_fill_rule(context, overlaps ? CAIRO_FILL_RULE_WINDING : CAIRO_FILL_RULE_EVEN_ODD)
        cairo_fill(context)
    }

    /// Fills an outline with a radial gradient, from `inner` at `center` to `outer` at `radius` points from there.
    func fill(_ outline: Outline, from inner: Color, to outer: Color, center: SurfacePoint, radius: Double) {
        guard let pattern = cairo_pattern_create_radial(center.x, center.y, 0, center.x, center.y, max(radius, 0.01))
        else { return }
        defer { cairo_pattern_destroy(pattern) }
        cairo_pattern_add_color_stop_rgba(pattern, 0, inner.red, inner.green, inner.blue, inner.alpha)
        cairo_pattern_add_color_stop_rgba(pattern, 1, outer.red, outer.green, outer.blue, outer.alpha)
        trace(outline)
        cairo_set_source(context, pattern)
        cairo_set_fill_rule(context, CAIRO_FILL_RULE_WINDING)
        cairo_fill(context)
    }

    func stroke(_ outline: Outline, _ color: Color, width: Double) {
        trace(outline)
        setSource(color)
        cairo_set_line_width(context, width)
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        cairo_stroke(context)
    }

    func clipped(to outline: Outline, _ body: () -> Void) {
        cairo_save(context)
        trace(outline)
        cairo_set_fill_rule(context, CAIRO_FILL_RULE_WINDING)
        cairo_clip(context)
        body()
        cairo_restore(context)
    }

    /// Calls `body` with the pixels: rows of B, G, R, A with premultiplied alpha, valid while `body` runs.
    package func withPixels<Result>(_ body: (UnsafeRawBufferPointer, _ bytesPerRow: Int) throws -> Result) rethrows
        -> Result
    {
        cairo_surface_flush(surface.pointer)
        let bytesPerRow = Int(cairo_image_surface_get_stride(surface.pointer))
        let data = cairo_image_surface_get_data(surface.pointer)
        return try body(UnsafeRawBufferPointer(start: data, count: bytesPerRow * pixelSize.height), bytesPerRow)
    }

    /// Calls `body` with the picture as a frame that is valid while `body` runs.
    package func withFrame<Result>(mediaTime: Double = 0, _ body: (Frame) throws -> Result) throws -> Result {
        try check()
        return try withPixels { pixels, bytesPerRow in
            guard let base = pixels.baseAddress else { throw CanvasError("drawing failed: there is no memory") }
            let plane = Frame.Plane(base: base, bytesPerRow: bytesPerRow)
            var frame = Frame(borrowing: plane, size: pixelSize, format: .bgra, mediaTime: mediaTime)
            frame.colors = colors
            return try body(isTransparent ? frame.overWhite : frame)
        }
    }

    /// Throws if any drawing so far failed. Cairo draws nothing after a failure.
    package func check() throws(CanvasError) { try cairo_status(context).check() }
    func setSource(_ color: Color) { cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha) }

    func setSource(_ picture: Surface, _ filter: cairo_filter_t, _ beyond: cairo_extend_t = CAIRO_EXTEND_PAD) {
        cairo_set_source_surface(context, picture.pointer, 0, 0)
        cairo_pattern_set_filter(cairo_get_source(context), filter)
        cairo_pattern_set_extend(cairo_get_source(context), beyond)
    }

    private func trace(_ outline: Outline) {
        cairo_new_path(context)
        for line in outline.lines {
            cairo_new_sub_path(context)
            for point in line { cairo_line_to(context, point.x, point.y) }
            if outline.isClosed { cairo_close_path(context) }
        }
    }

    /// Pixelates the picture inside an outline, in cells about `cell` points wide; if `isSmooth`, blurs it instead.
    func coarsen(_ outline: Outline, cell: Double, isSmooth: Bool) {
        // Only whole pixels inside the surface are replaced.
        guard let box = outline.bounds?.wholePixels(in: size), box.width > 0, box.height > 0 else { return }
        let side = max(isSmooth ? 8 : 12, cell)
        let cells = pointwiseMax(SurfaceSize(repeating: 1), (box.size / side).rounded(.toNearestOrAwayFromZero))
        // Repeated doubling blends the cells' colours without sharp edges, which would show as much detail as the face.
        // For squares, the middle half of each stays uniform, and at least six pixels are left for the transition.
        let first = isSmooth ? 1.0 : 4
        let factors = sequence(first: first) { cells.x * 2 * $0 < box.width ? 2 * $0 : nil }
        let format = isTransparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24
        func enlarged(_ picture: Surface, to factor: Double) throws -> Surface {
            let filter = factor == first ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR
            return try picture.resampled(from: picture.all, FrameSize(cells * factor), filter, format)
        }
        // Covers the outline in grey if it cannot be pixelated.
        guard surface.isImage,
            // Averages all pixels of a cell.
            let means = try? surface.resampled(from: box, FrameSize(cells), CAIRO_FILTER_GOOD, format),
            let coarse = try? factors.reduce(means, enlarged)
        else { return fill(outline, Color(red: 0.5, green: 0.5, blue: 0.5)) }
        clipped(to: outline) {
            cairo_identity_matrix(context)
            cairo_translate(context, box.x, box.y)
            cairo_scale(context, box.width / coarse.all.width, box.height / coarse.all.height)
            setSource(coarse, CAIRO_FILTER_BILINEAR)
            // Replaces the picture: blended over it, half-transparent cells would let the face show through.
            cairo_set_operator(context, CAIRO_OPERATOR_SOURCE)
            cairo_paint(context)
        }
    }

    /// Returns what `body` draws on a canvas as a transparent SVG document in UTF-8, one user unit for each point.
    package static func svg(size: FrameSize, _ body: (Canvas) throws -> Void) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withUnsafeMutablePointer(to: &bytes) { output in
            let document: OpaquePointer = cairo_svg_surface_create_for_stream(
                { output, bytes, count in
                    guard let output, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                    let written = UnsafeBufferPointer(start: bytes, count: Int(count))
                    output.assumingMemoryBound(to: [UInt8].self).pointee.append(contentsOf: written)
                    return CAIRO_STATUS_SUCCESS
                },
                output,
                size.points.width,
                size.points.height
            )
            let surface = try Surface(owning: document, size)
            cairo_svg_surface_set_document_unit(document, CAIRO_SVG_UNIT_PX)
            let canvas = Canvas(surface, size: size)
            try body(canvas)
            try canvas.check()
            // The document is finished here and not in the canvas's deinit, because the output must still exist.
            cairo_surface_finish(document)
            try cairo_surface_status(document).check()
        }
        return bytes
    }
}

/// A colour with components from 0 to 1, not premultiplied by alpha.
package struct Color: Hashable, Sendable {
    package var red: Double
    package var green: Double
    package var blue: Double
    package var alpha: Double

    package init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    package func withAlpha(_ alpha: Double) -> Color { Color(red: red, green: green, blue: blue, alpha: alpha) }

    package static let white = Color(red: 1, green: 1, blue: 1)
    static let mark = Color(red: 1, green: 0.82, blue: 0.25)
    package static let black = Color(red: 0, green: 0, blue: 0)
    package static let red = Color(red: 0.87, green: 0.09, blue: 0.13)
}

/// The reason why nothing can be drawn.
package struct CanvasError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message: what was tried, why it failed, and what to do about it.
    package let description: String

    init(_ description: String) { self.description = description }
}

extension cairo_status_t {
    /// Cairo's message for a failure; nil for success.
    var failure: String? { self == CAIRO_STATUS_SUCCESS ? nil : String(cString: cairo_status_to_string(self)) }

    func check() throws(CanvasError) { if let failure { throw CanvasError("drawing failed: \(failure)") } }
}
