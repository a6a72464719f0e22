/// Draws a white square with round corners around each face, turned with the head in perspective.
struct BoxOverlay: Overlay {
    func draw(_ face: SurfaceFace, on canvas: Canvas) {
        let size = face.uprightSize
        // On an enter the box shrinks onto the face; on a smile it fills with light.
        let side = max(size.width, size.height) * (1 + 0.25 * face.flash(.enter))
        let line = max(1.5, side * 0.02)
        let plane = FacePlane(center: face.bounds.center, pose: face.assumedPose)
        canvas.fill(plane.project(ring(side: side, line: line, grown: line * 0.4)), .black.withAlpha(0.35))
        if face.flash(.smile) > 0 {
            canvas.fill(plane.project(Self.square(side, side * 0.09)), .white.withAlpha(0.25 * face.flash(.smile)))
        }
        canvas.fill(plane.project(ring(side: side, line: line, grown: 0)), .white)
    }

    /// Returns the area between two squares. Filled, it makes a line that is thicker where the face is nearer.
    private func ring(side: Double, line: Double, grown: Double) -> Outline {
        let radius = side * 0.09
        let half = line / 2 + grown
        return Self.square(side + 2 * half, radius + half) + Self.square(side - 2 * half, max(0, radius - half))
    }

    private static func square(_ side: Double, _ radius: Double) -> Outline {
        Outline(SurfaceRect(center: .zero, size: [side, side]), radius: radius)
    }
}

/// Draws a box around each face, with words for its state: smile, blink, closed eyes, looking, still (like a photo).
struct LabelOverlay: Overlay {
    /// The picture's height as a multiple of the maximum font size, which keeps the words of large faces small.
    private static let linesInHeight = 28.0

    var showsZones: Bool { true }

    func draw(_ faces: [SurfaceFace], snapshotFlash: Double, on canvas: Canvas) {
        BoxOverlay().draw(faces, snapshotFlash: snapshotFlash, on: canvas)
        Self.label(faces.map { ($0, $0.bounds) }, style: PanelStyle(), on: canvas)
    }

    /// Returns the words for what the face does, and for a blink that just happened.
    static func words(_ face: SurfaceFace) -> [String] {
        var words: [String] = []
        if face.smiling == true { words.append("smile") }
        // During a blink, closed eyes are not named, because one eye closes before the other.
        let isBlink = face.closedFor <= FaceEvent.longestBlink
        if isBlink, face.flash(.blink) > 0 { words.append("blink") }
        if !isBlink, let closed = face.closedEyes { words.append(closed) }
        if face.looking == true { words.append("looking") }
        if face.still == true { words.append("still") }
        return words
    }

    /// Writes each face's words beside its box, where they cover no face. The largest face is the first to get a place.
    static func label(_ faces: [(face: SurfaceFace, box: SurfaceRect)], style: PanelStyle, on canvas: Canvas) {
        var places = PanelPlace(taken: faces.map(\.face.bounds), area: canvas.size)
        for (face, box) in faces.reversed() {
            let text = words(face).joined(separator: " · ")
            guard !text.isEmpty else { continue }
            var style = style
            style.size = max(9, min(box.width * 0.12, canvas.size.height / Self.linesInHeight))
            // Leaves room for the box's own line.
            style.gap = max(0.75, 0.0125 * max(box.width, box.height))
            canvas.write([text], beside: box, style, in: &places)
        }
    }
}

/// Draws a red square around each face, what the face does in words below it, and a flash when a picture is taken.
struct SquareOverlay: Overlay {
    func draw(_ faces: [SurfaceFace], snapshotFlash: Double, on canvas: Canvas) {
        let red = Color(red: 1, green: 0, blue: 0)
        let squares = faces.map { face in
            (face: face, box: SurfaceRect(center: face.bounds.center, size: .init(repeating: face.bounds.size.max())))
        }
        for square in squares { canvas.stroke(Outline(square.box), red, width: max(1.5, square.box.width * 0.025)) }
        let style = PanelStyle(plate: red.withAlpha(0.85), radius: 0.2, side: .below)
        LabelOverlay.label(squares, style: style, on: canvas)
        let whole = Outline(SurfaceRect(origin: .zero, size: canvas.size))
        if snapshotFlash > 0 { canvas.fill(whole, .white.withAlpha(snapshotFlash)) }
    }
}
