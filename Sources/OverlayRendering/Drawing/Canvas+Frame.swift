package import Frames

extension Canvas {
    /// Lends what was drawn as a frame, while `body` runs.
    package func withFrame<Result>(mediaTime: Double = 0, _ body: (Frame) throws -> Result) throws -> Result {
        try check()
        return try withPixels { pixels, bytesPerRow in
            guard let base = pixels.baseAddress else { throw CanvasError.drawing(reason: "there is no memory") }
            let plane = Frame.Plane(base: base, bytesPerRow: bytesPerRow)
            return try body(Frame(borrowing: plane, size: pixelSize, format: .bgra, mediaTime: mediaTime))
        }
    }
}
