import CCairo

enum TextAnchor: Hashable, Sendable {
    /// The point is at the left end of the baseline.
    case leading
    /// The point is at the middle of the baseline.
    case center
}

extension Canvas {
    /// The width a text takes, in points.
    func width(of text: String, size: Double, isBold: Bool = false) -> Double {
        setFont(size: size, isBold: isBold)
        var extents = cairo_text_extents_t()
        cairo_text_extents(context, text, &extents)
        return extents.x_advance
    }

    /// Writes a line of text, turned clockwise around its point by degrees.
    func text(
        _ text: String,
        at point: SurfacePoint,
        size: Double,
        color: Color,
        anchor: TextAnchor = .leading,
        degrees: Double = 0,
        isBold: Bool = false
    ) {
        let shift = anchor == .center ? -width(of: text, size: size, isBold: isBold) / 2 : 0
        cairo_save(context)
        cairo_translate(context, point.x, point.y)
        cairo_rotate(context, degrees * .pi / 180)
        setFont(size: size, isBold: isBold)
        setSource(color)
        cairo_move_to(context, shift, 0)
        cairo_show_text(context, text)
        cairo_restore(context)
    }

    private func setFont(size: Double, isBold: Bool) {
        cairo_select_font_face(
            context,
            "sans-serif",
            CAIRO_FONT_SLANT_NORMAL,
            isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL
        )
        cairo_set_font_size(context, max(size, 1))
    }
}
