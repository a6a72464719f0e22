import FaceMessages

/// A red square around the face's box, what the face does in words below it, and a flash when a picture is taken.
struct SquareOverlay: Overlay {
    func draw(_ faces: [SurfaceFace], snapshotFlash: Double, on canvas: Canvas) {
        let red = Color(red: 1, green: 0, blue: 0)
        let squares = faces.map { (face: $0, box: Self.square(of: $0)) }
        for square in squares { canvas.stroke(Outline(square.box), red, width: max(1.5, square.box.width * 0.025)) }
        let style = PanelStyle(plate: red.withAlpha(0.85), radius: 0.2, side: .below)
        LabelOverlay.label(squares, style: style, on: canvas)
        if snapshotFlash > 0 { canvas.cover(.white.withAlpha(snapshotFlash)) }
    }

    private static func square(of face: SurfaceFace) -> SurfaceRect {
        let (center, side) = (face.bounds.center, max(face.bounds.width, face.bounds.height))
        return SurfaceRect(x: center.x - side / 2, y: center.y - side / 2, width: side, height: side)
    }
}
