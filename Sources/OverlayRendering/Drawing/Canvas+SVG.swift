import CCairo

extension Canvas {
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
