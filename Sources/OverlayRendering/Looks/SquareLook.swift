import FaceMessages

/// A red square around the face's box, what the face does in words below it, and a flash when a picture is taken.
package struct SquareLook: Look {
    /// Makes the look.
    package init() {}

    /// Draws each face on its own.
    package func draw(_ faces: [DrawnFace], shutter: Double, on canvas: Canvas) {
        for face in faces { draw(face, on: canvas) }
        if shutter > 0 { canvas.cover(.white.withAlpha(shutter)) }
    }

    private func draw(_ drawn: DrawnFace, on canvas: Canvas) {
        let bounds = drawn.face.bounds
        let side = max(bounds.width, bounds.height)
        let center = bounds.center
        let line = max(1.5, side * 0.025)
        let square = SurfaceRect(x: center.x - side / 2, y: center.y - side / 2, width: side, height: side)
        var outline = Outline()
        outline.addRoundedRect(square, radius: 0)
        canvas.stroke(outline, Color(red: 1, green: 0, blue: 0), width: line)
        let words = Self.words(drawn)
        guard !words.isEmpty else { return }
        label(words.joined(separator: " · "), below: square, line: line, on: canvas)
    }

    /// What the face does, and what just happened to it.
    static func words(_ drawn: DrawnFace) -> [String] {
        var words: [String] = []
        if drawn.face.smiling == true { words.append("smile") }
        switch (drawn.face.leftEyeClosed, drawn.face.rightEyeClosed) {
        case (true, true): words.append("eyes closed")
        case (true, _): words.append("left eye closed")
        case (_, true): words.append("right eye closed")
        default: if drawn.flash(.blink) > 0 { words.append("blink") }
        }
        return words
    }

    private func label(_ text: String, below square: SurfaceRect, line: Double, on canvas: Canvas) {
        let size = min(max(9, square.width * 0.12), 64)
        let width = canvas.width(of: text, size: size, isBold: true) + size
        // Under the square, or inside it where there is no room below.
        let below = square.y + square.height + line / 2
        let top = below + 1.4 * size <= canvas.size.height ? below : square.y + square.height - 1.4 * size
        // A face that is cut off keeps its words in the picture.
        let x = max(width / 2, min(square.center.x, canvas.size.width - width / 2))
        var plate = Outline()
        plate.addRoundedRect(
            SurfaceRect(x: x - width / 2, y: top, width: width, height: 1.4 * size),
            radius: size * 0.2
        )
        canvas.fill(plate, Color(red: 1, green: 0, blue: 0, alpha: 0.85))
        canvas.text(
            text,
            at: SurfacePoint(x: x, y: top + size),
            size: size,
            color: .white,
            anchor: .center,
            isBold: true
        )
    }
}
