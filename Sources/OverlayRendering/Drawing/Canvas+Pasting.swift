import CCairo

extension Canvas {
    /// A corner of a grid cell of a pasted picture: its position in the picture, and its position on the canvas.
    private typealias Corner = (picture: SurfacePoint, surface: SurfacePoint)

    /// The maximum number of pixels per point for a picture in an SVG document, which pages may show enlarged.
    private static let finest = 2.0

    /// Draws a picture on a curved surface, as a grid of `cells` columns and rows; cells that face away are not drawn.
    /// `width` is the picture's approximate width in points, seen from straight ahead. `place` maps a position in the
    /// picture, 0…1 across and down, to its point on the canvas.
    func paste(_ picture: PastedPicture, width: Double, cells: SIMD2<Int>, _ place: (SurfacePoint) -> SurfacePoint) {
        let isVector = !surface.isImage
        // No finer than the picture itself: pixels cost time and bytes.
        let fineness = isVector ? max(1, min(Self.finest, Double(picture.size.width) / width)) : 1
        let copy = picture.copy(width: width * fineness)
        let copySize = copy.all.size
        // The outer cells reach one pixel beyond the picture, where it fades to transparent, which smooths its edge.
        let corners = (0...cells.y).map { row in
            (0...cells.x).map { column -> Corner in
                let point = -1 + (copySize + 2) * [Double(column), Double(row)] / SurfaceSize(cells)
                return (point, place(point / copySize))
            }
        }
        // Skips a picture that is outside the surface, or beyond Cairo's coordinates of 24.8 bits.
        guard let box = Outline(line: corners.joined().map(\.surface)).bounds,
            box.x < size.width, box.y < size.height, box.end.min() > 0,
            [box.x, box.y, box.end.x, box.end.y].allSatisfy({ abs($0) < 1_000_000 })
        else { return }
        guard isVector else { return paste(copy, corners) }
        // Shapes that share an edge leave a seam in a browser, so a document gets the finished picture.
        let part = box.wholePixels(in: size)
        let pixelSize = FrameSize((part.size * fineness).rounded(.up))
        guard let drawing = try? Canvas(pixelSize: pixelSize) else { return }
        cairo_scale(drawing.context, fineness, fineness)
        cairo_translate(drawing.context, -part.x, -part.y)
        drawing.paste(copy, corners)
        cairo_save(context)
        cairo_translate(context, part.x, part.y)
        cairo_scale(context, 1 / fineness, 1 / fineness)
        setSource(drawing.surface, CAIRO_FILTER_GOOD, CAIRO_EXTEND_NONE)
        cairo_paint(context)
        cairo_restore(context)
    }

    private func paste(_ picture: Surface, _ corners: [[Corner]]) {
        cairo_save(context)
        // Without antialiasing, two triangles that share an edge share no pixel and leave none out.
        cairo_set_antialias(context, CAIRO_ANTIALIAS_NONE)
        for (above, below) in zip(corners, corners.dropFirst()) {
            for column in 0..<above.count - 1 {
                triangle(picture, [above[column], above[column + 1], below[column + 1]])
                triangle(picture, [above[column], below[column + 1], below[column]])
            }
        }
        cairo_restore(context)
    }

    /// Draws a triangle of a picture into a triangle of the canvas, unless it is seen from behind.
    private func triangle(_ picture: Surface, _ corners: [Corner]) {
        let onPicture = PlaneTransform(triangle: corners.map(\.picture))
        let onSurface = PlaneTransform(triangle: corners.map(\.surface))
        // A triangle of a hundredth of a square point cannot be seen.
        guard onSurface.determinant > 0.02, onPicture.determinant > 0 else { return }
        var matrix = onSurface.inverse.then(onPicture).cairo
        cairo_new_path(context)
        for corner in corners { cairo_line_to(context, corner.surface.x, corner.surface.y) }
        cairo_close_path(context)
        setSource(picture, CAIRO_FILTER_BILINEAR, CAIRO_EXTEND_NONE)
        cairo_pattern_set_matrix(cairo_get_source(context), &matrix)
        cairo_fill(context)
    }
}

extension PlaneTransform {
    var cairo: cairo_matrix_t { cairo_matrix_t(xx: a, yx: c, xy: b, yy: d, x0: tx, y0: ty) }

    /// Makes the affine map from the triangle (0, 0), (1, 0), (0, 1) to `triangle`.
    fileprivate init(triangle: [SurfacePoint]) {
        let origin = triangle[0]
        let right = triangle[1] - origin
        let down = triangle[2] - origin
        self.init(a: right.x, b: down.x, c: right.y, d: down.y, tx: origin.x, ty: origin.y)
    }
}
