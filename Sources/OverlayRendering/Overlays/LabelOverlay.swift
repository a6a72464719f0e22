import FaceMessages

/// A box around each face, and beside it a label with what the face does: smiles, blinks, closes its eyes, looks at the camera.
package struct LabelOverlay: Overlay {
    /// How many letters would stand above each other in the picture at least: a large face has no larger words.
    private static let linesInHeight = 28.0

    package init() {}
    package var showsZones: Bool { true }

    /// Draws the boxes, then the labels, which cover no face.
    package func draw(_ faces: [SurfaceFace], snapshotFlash: Double, on canvas: Canvas) {
        BoxOverlay().draw(faces, snapshotFlash: snapshotFlash, on: canvas)
        Self.label(faces.map { ($0, $0.bounds) }, style: PanelStyle(), on: canvas)
    }

    /// What the face does, and what just happened to it.
    static func words(_ face: SurfaceFace) -> [String] {
        var words: [String] = []
        if face.smiling == true { words.append("smile") }
        // In a blink, one eye is closed before the other.
        let isBlink = face.closedFor <= FaceEvent.longestBlink
        if isBlink, face.flash(.blink) > 0 { words.append("blink") }
        if !isBlink, let closed = face.closedEyes { words.append(closed) }
        if face.looking == true { words.append("looking") }
        if face.still == true { words.append("still") }
        return words
    }

    /// Writes the words of faces beside their boxes, so that they cover none; the largest face's first.
    static func label(_ faces: [(face: SurfaceFace, box: SurfaceRect)], style: PanelStyle, on canvas: Canvas) {
        var places = PanelPlace(faces: faces.map(\.face.bounds), in: canvas.size)
        for (face, box) in faces.reversed() {
            let text = words(face).joined(separator: " · ")
            guard !text.isEmpty else { continue }
            let size = max(9, min(box.width * 0.12, canvas.size.height / Self.linesInHeight))
            // Beside the line that the box is drawn with.
            let gap = max(0.75, 0.0125 * max(box.width, box.height))
            canvas.write([text], size: size, beside: box, gap: gap, style, in: &places)
        }
    }
}
