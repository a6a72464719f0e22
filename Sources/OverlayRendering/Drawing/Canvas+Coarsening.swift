import CCairo

extension Canvas {
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
}
