import CCairo
import Frames

/// A grid of places on the surface: where the corners of a picture's cells go.
struct PlaceGrid {
    let columns: Int, rows: Int

    /// The corners, row by row; one more than cells each way.
    let points: [SurfacePoint]

    /// Makes a grid by where each point of the picture goes; u and v are 0…1 across and down.
    init(columns: Int, rows: Int, margin: (u: Double, v: Double), _ place: (_ u: Double, _ v: Double) -> SurfacePoint) {
        self.columns = columns
        self.rows = rows
        points = (0...rows).flatMap { row in
            (0...columns).map { column in
                place(
                    -margin.u + (1 + 2 * margin.u) * Double(column) / Double(columns),
                    -margin.v + (1 + 2 * margin.v) * Double(row) / Double(rows)
                )
            }
        }
    }

    func point(_ column: Int, _ row: Int) -> SurfacePoint { points[row * (columns + 1) + column] }
}

extension Canvas {
    /// The most pixels per point of what is pasted into a document of shapes: pages show it larger than the picture under it.
    private static let finest = 2.0

    /// Pastes a picture cell by cell, so that it follows a curved or turned surface; a cell that shows its back is left out.
    ///
    /// - Parameters:
    ///   - picture: the picture.
    ///   - width: about how many points wide the picture is seen from straight ahead.
    ///   - columns: how many cells it is divided into across.
    ///   - rows: how many cells it is divided into down.
    ///   - place: where a point of the picture goes; u and v are 0…1 across and down.
    func paste(
        _ picture: PastedPicture,
        width: Double,
        columns: Int,
        rows: Int,
        _ place: (_ u: Double, _ v: Double) -> SurfacePoint
    ) {
        let isVector = cairo_surface_get_type(surface) != CAIRO_SURFACE_TYPE_IMAGE
        // No finer than the picture itself: pixels cost time and bytes.
        let fineness = isVector ? max(1, min(Self.finest, Double(picture.size.width) / width)) : 1
        guard let copy = picture.copy(width: width * fineness) else { return }
        // Cells reach one pixel beyond the picture, where it fades into nothing: that makes its edge smooth.
        let grid = PlaceGrid(columns: columns, rows: rows, margin: (1 / copy.width, 1 / copy.height), place)
        let (low, high) = Self.bounds(grid.points)
        // Cairo counts in 24.8 bits; and nothing is seen of what lies outside.
        guard low.x < size.width, low.y < size.height, high.x > 0, high.y > 0,
            [low.x, low.y, high.x, high.y].allSatisfy({ abs($0) < 1_000_000 })
        else { return }
        guard isVector else { return paste(copy, grid, context) }
        // Shapes that share an edge leave a seam in a browser, so a document gets the finished picture.
        let (left, top) = (max(0, low.x.rounded(.down)), max(0, low.y.rounded(.down)))
        let (right, bottom) = (min(size.width, high.x.rounded(.up)), min(size.height, high.y.rounded(.up)))
        guard
            let image = cairo_image_surface_create(
                CAIRO_FORMAT_ARGB32,
                Int32(((right - left) * fineness).rounded(.up)),
                Int32(((bottom - top) * fineness).rounded(.up))
            )
        else { return }
        defer { cairo_surface_destroy(image) }
        guard cairo_surface_status(image) == CAIRO_STATUS_SUCCESS, let drawing = cairo_create(image) else { return }
        defer { cairo_destroy(drawing) }
        cairo_scale(drawing, fineness, fineness)
        cairo_translate(drawing, -left, -top)
        paste(copy, grid, drawing)
        cairo_save(context)
        cairo_translate(context, left, top)
        cairo_scale(context, 1 / fineness, 1 / fineness)
        cairo_set_source_surface(context, image, 0, 0)
        cairo_paint(context)
        cairo_restore(context)
    }

    private static func bounds(_ points: [SurfacePoint]) -> (low: SurfacePoint, high: SurfacePoint) {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        return (
            SurfacePoint(x: xs.min() ?? 0, y: ys.min() ?? 0), SurfacePoint(x: xs.max() ?? 0, y: ys.max() ?? 0)
        )
    }

    private func paste(
        _ copy: (surface: OpaquePointer, width: Double, height: Double),
        _ grid: PlaceGrid,
        _ context: OpaquePointer
    ) {
        cairo_save(context)
        // Two triangles that share an edge then share no pixel and leave none out.
        cairo_set_antialias(context, CAIRO_ANTIALIAS_NONE)
        func corner(_ column: Int, _ row: Int) -> (picture: SurfacePoint, surface: SurfacePoint) {
            let x = -1 + (copy.width + 2) * Double(column) / Double(grid.columns)
            let y = -1 + (copy.height + 2) * Double(row) / Double(grid.rows)
            return (SurfacePoint(x: x, y: y), grid.point(column, row))
        }
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let (first, last) = (corner(column, row), corner(column + 1, row + 1))
                triangle(copy.surface, [first, corner(column + 1, row), last], context)
                triangle(copy.surface, [first, last, corner(column, row + 1)], context)
            }
        }
        cairo_restore(context)
    }

    /// Fills a triangle of the surface with one of a picture; nothing if it is seen from behind.
    private func triangle(
        _ picture: OpaquePointer,
        _ corners: [(picture: SurfacePoint, surface: SurfacePoint)],
        _ context: OpaquePointer
    ) {
        let onPicture = PlaneTransform(triangle: corners.map(\.picture))
        let onSurface = PlaneTransform(triangle: corners.map(\.surface))
        // Of a picture of a hundredth of a square point nothing is seen.
        guard onSurface.determinant > 0.02, onPicture.determinant > 0 else { return }
        let map = onSurface.inverse.then(onPicture)
        var matrix = map.cairo
        cairo_new_path(context)
        for corner in corners { cairo_line_to(context, corner.surface.x, corner.surface.y) }
        cairo_close_path(context)
        cairo_set_source_surface(context, picture, 0, 0)
        cairo_pattern_set_matrix(cairo_get_source(context), &matrix)
        cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_BILINEAR)
        cairo_fill(context)
    }
}

extension PlaneTransform {
    var cairo: cairo_matrix_t { cairo_matrix_t(xx: a, yx: c, xy: b, yy: d, x0: tx, y0: ty) }

    /// The map of the triangle (0, 0), (1, 0), (0, 1) to another one.
    fileprivate init(triangle: [SurfacePoint]) {
        let (origin, right, down) = (triangle[0], triangle[1], triangle[2])
        self.init(
            a: right.x - origin.x,
            b: down.x - origin.x,
            c: right.y - origin.y,
            d: down.y - origin.y,
            tx: origin.x,
            ty: origin.y
        )
    }
}
