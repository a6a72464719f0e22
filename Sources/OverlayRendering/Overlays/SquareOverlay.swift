import FaceMessages

/// A red square around the face's box, what the face does in words below it, and a flash when a picture is taken.
struct SquareOverlay: Overlay {
    func draw(_ faces: [DrawnFace], snapshotFlash: Double, on canvas: Canvas) {
        for face in faces {
            canvas.stroke(
                Outline(Self.square(of: face.face)),
                Color(red: 1, green: 0, blue: 0),
                width: Self.line(of: face.face)
            )
        }
        let style = PanelStyle(plate: Color(red: 1, green: 0, blue: 0, alpha: 0.85), radius: 0.2, side: .below)
        LabelOverlay.label(faces.map { ($0, Self.square(of: $0.face)) }, style: style, on: canvas)
        if snapshotFlash > 0 { canvas.cover(.white.withAlpha(snapshotFlash)) }
    }

    private static func square(of face: SurfaceFace) -> SurfaceRect {
        let (center, side) = (face.bounds.center, max(face.bounds.width, face.bounds.height))
        return SurfaceRect(x: center.x - side / 2, y: center.y - side / 2, width: side, height: side)
    }

    private static func line(of face: SurfaceFace) -> Double {
        max(1.5, max(face.bounds.width, face.bounds.height) * 0.025)
    }
}
