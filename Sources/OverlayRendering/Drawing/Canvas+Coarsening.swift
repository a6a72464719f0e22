import CCairo
import Frames

extension Canvas {
    /// What stands for a picture where there is none to make coarse.
    private static let cover = Color(red: 0.5, green: 0.5, blue: 0.5)

    /// Replaces what is in a shape by the means of cells of at least eight pixels, twelve for squares; smooth ones run together.
    func coarsen(_ outline: Outline, cell: Double, isSmooth: Bool) {
        // Only whole pixels inside the surface are replaced.
        guard let box = outline.bounds?.wholePixels(in: size), box.width > 0, box.height > 0 else { return }
        let side = max(isSmooth ? 8 : 12, cell)
        let cells = pointwiseMax(SurfaceSize(repeating: 1), (box.size / side).rounded(.toNearestOrAwayFromZero))
        // Doubled step by step, the cells' colours run into each other without edges: an edge would be as much detail as the
        // face had. Of a square half stays plain, and six pixels at least are left for what is between them.
        var factor = isSmooth ? 1.0 : 4
        var filter = CAIRO_FILTER_NEAREST
        guard surface.isImage,
            // Averages all pixels of a cell.
            var coarse = try? surface.resampled(from: box, FrameSize(cells), CAIRO_FILTER_GOOD)
        else { return fill(outline, Self.cover) }
        repeat {
            guard let larger = try? coarse.resampled(from: coarse.all, FrameSize(cells * factor), filter) else {
                return fill(outline, Self.cover)
            }
            coarse = larger
            filter = CAIRO_FILTER_BILINEAR
            factor *= 2
        } while cells.x * factor < box.width
        clipped(to: outline) {
            cairo_identity_matrix(context)
            cairo_translate(context, box.x, box.y)
            cairo_scale(context, box.width / coarse.all.width, box.height / coarse.all.height)
            setSource(coarse, CAIRO_FILTER_BILINEAR)
            cairo_paint(context)
        }
    }
}
