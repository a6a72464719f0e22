import CCairo

/// The style of a panel, which is text on a plate beside a face.
struct PanelStyle {
    /// The size of the font in points.
    var size = 1.0
    /// The distance between the panel and the face's box, in points.
    var gap = 0.0
    var plate = Color(red: 0.05, green: 0.07, blue: 0.1, alpha: 0.8)
    /// The radius of the plate's corners, as a multiple of the font size.
    var radius = 0.7
    var side = PanelPlace.Side.above
    /// A text for which the plate always has room, so that it keeps its width while shorter texts change.
    var longest = ""
}

/// Lines of text that a terminal prints in its character cells over the drawing.
package struct CellWords: Hashable, Sendable {
    /// The column and the row of the first letter, from 0.
    package var cell: SIMD2<Int>
    package var lines: [String]
    /// The number of letters for which each line of the plate has room.
    package var width: Int
    package var plate: Color
}

extension Canvas {
    /// Returns and removes the texts for a terminal's cells that were collected since the last call.
    package func removeWords() -> [CellWords] { exchange(&words, with: []) }

    /// Draws lines of text on a plate beside a box, or nothing if the plate would cover a face or panel in every place.
    func write(_ lines: [String], beside box: SurfaceRect, _ style: PanelStyle, in places: inout PanelPlace) {
        let size = style.size
        cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
        cairo_set_font_size(context, size)
        let measured = lines + [style.longest]
        let longest = measured.map(width).max() ?? 0
        let letters = measured.map(\.count).max() ?? 0
        let panel =
            textCell.map { $0 * [Double(letters + 2), Double(lines.count)] }
            ?? [longest + size, (1.25 * Double(lines.count) + 0.15) * size]
        guard let place = places.reserve(panel, beside: box, gap: style.gap, first: style.side) else { return }
        if let textCell {
            let cell = (place.origin / textCell).rounded(.toNearestOrAwayFromZero)
            words.append(CellWords(cell: SIMD2(cell), lines: lines, width: letters, plate: style.plate))
            return
        }
        fill(Outline(place, radius: size * style.radius), style.plate)
        setSource(.white)
        for (index, line) in lines.enumerated() {
            cairo_move_to(context, place.x + size / 2, place.y + size * (1 + 1.25 * Double(index)))
            cairo_show_text(context, line)
        }
        cairo_new_path(context)
    }

    private func width(of text: String) -> Double {
        var extents = cairo_text_extents_t()
        cairo_text_extents(context, text, &extents)
        return extents.x_advance
    }
}
