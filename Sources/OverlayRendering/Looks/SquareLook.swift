import FaceMessages

/// A red square around the face's box, what the face does in words below it, and a flash when a picture is taken.
struct SquareLook: Look {
    /// Makes the look.
    /// Draws the faces, then their words, which cover none of them.
    func draw(_ faces: [DrawnFace], shutter: Double, on canvas: Canvas) {
        for face in faces {
            var outline = Outline()
            outline.addRoundedRect(Self.square(of: face.face), radius: 0)
            canvas.stroke(outline, Color(red: 1, green: 0, blue: 0), width: Self.line(of: face.face))
        }
        var places = PanelPlace(faces: faces.map(\.face.bounds), in: canvas.size)
        for face in faces.reversed() { label(face, &places, on: canvas) }
        if shutter > 0 { canvas.cover(.white.withAlpha(shutter)) }
    }

    private static func square(of face: SurfaceFace) -> SurfaceRect {
        let (center, side) = (face.bounds.center, max(face.bounds.width, face.bounds.height))
        return SurfaceRect(x: center.x - side / 2, y: center.y - side / 2, width: side, height: side)
    }

    private static func line(of face: SurfaceFace) -> Double {
        max(1.5, max(face.bounds.width, face.bounds.height) * 0.025)
    }

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

    /// Writes the words under the square, or elsewhere beside it where there is no room.
    private func label(_ drawn: DrawnFace, _ places: inout PanelPlace, on canvas: Canvas) {
        let text = Self.words(drawn).joined(separator: " · ")
        guard !text.isEmpty else { return }
        let square = Self.square(of: drawn.face)
        let size = min(max(9, square.width * 0.12), 64)
        let panel = SurfaceSize(width: canvas.width(of: text, size: size, isBold: true) + size, height: 1.4 * size)
        let gap = Self.line(of: drawn.face) / 2
        guard let place = places.take(panel, beside: square, gap: gap, first: .below) else { return }
        var plate = Outline()
        plate.addRoundedRect(place, radius: size * 0.2)
        canvas.fill(plate, Color(red: 1, green: 0, blue: 0, alpha: 0.85))
        canvas.text(
            text,
            at: SurfacePoint(x: place.center.x, y: place.y + size),
            size: size,
            color: .white,
            anchor: .center,
            isBold: true
        )
    }
}
