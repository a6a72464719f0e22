import FaceMessages

/// A box around each face, and beside it a label with what the face does: smiles, blinks, closes its eyes, looks at the camera.
package struct LabelLook: Look {
    /// How a label is coloured, and where it stands.
    struct Style {
        var plate = Color(red: 0.05, green: 0.07, blue: 0.1, alpha: 0.8)
        /// Its corners, as a share of the letters' size.
        var radius = 0.7
        var side = PanelPlace.Side.above
        /// Its distance from the box, in half widths of the line that this is drawn with.
        var gap = 1.0
    }

    /// Makes the look.
    package init() {}

    /// Draws the boxes, then the labels, which cover no face.
    package func draw(_ faces: [DrawnFace], shutter: Double, on canvas: Canvas) {
        BoxLook().draw(faces, shutter: shutter, on: canvas)
        Self.label(faces.map { ($0, $0.face.bounds) }, style: Style(), on: canvas)
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
        if drawn.face.looking == true { words.append("looking") }
        return words
    }

    /// Writes the words of faces beside their boxes, so that they cover none; the largest face's first.
    ///
    /// - Parameters:
    ///   - faces: the faces with what their words stand beside.
    ///   - style: how they look.
    ///   - canvas: where.
    static func label(
        _ faces: [(face: DrawnFace, box: SurfaceRect)],
        style: Style,
        on canvas: Canvas
    ) {
        var places = PanelPlace(faces: faces.map(\.face.face.bounds), in: canvas.size)
        for (face, box) in faces.reversed() {
            let text = words(face).joined(separator: " · ")
            guard !text.isEmpty else { continue }
            let size = min(max(9, box.width * 0.12), 64)
            let panel = SurfaceSize(width: canvas.width(of: text, size: size, isBold: true) + size, height: 1.4 * size)
            // Beside the line that the box is drawn with.
            let gap = max(0.75, 0.0125 * max(box.width, box.height)) * style.gap
            guard let place = places.take(panel, beside: box, gap: gap, first: style.side) else { continue }
            var plate = Outline()
            plate.addRoundedRect(place, radius: size * style.radius)
            canvas.fill(plate, style.plate)
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
}
