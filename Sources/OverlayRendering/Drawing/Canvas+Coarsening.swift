import CCairo

extension Canvas {
    /// Pixelates a shape: cells of at least 8 pixels (12 for squares) get their mean colour; `isSmooth` blends them.
    func coarsen(_ outline: Outline, cell: Double, isSmooth: Bool) {
        // Only whole pixels inside the surface are replaced.
        guard let box = outline.bounds?.wholePixels(in: size), box.width > 0, box.height > 0 else { return }
        let side = max(isSmooth ? 8 : 12, cell)
        let cells = pointwiseMax(SurfaceSize(repeating: 1), (box.size / side).rounded(.toNearestOrAwayFromZero))
        // Doubled step by step, the cells' colours blend without edges: an edge would be as much detail as the face
        // had. Half of a square stays plain, and at least six pixels are left for the transition.
        let first = isSmooth ? 1.0 : 4
        let factors = sequence(first: first) { cells.x * 2 * $0 < box.width ? 2 * $0 : nil }
        let format = isTransparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24
        func enlarged(_ picture: Surface, to factor: Double) throws -> Surface {
            let filter = factor == first ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR
            return try picture.resampled(from: picture.all, FrameSize(cells * factor), filter, format)
        }
        // What cannot be pixelated is covered.
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
            // In place of the face, which would be seen through what is coarse and half transparent.
            cairo_set_operator(context, CAIRO_OPERATOR_SOURCE)
            cairo_paint(context)
        }
    }
}
