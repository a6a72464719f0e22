import FaceMetadata

extension Canvas {
    /// Draws a stand-in for a picture: a dark ground and a plain head wherever there is a face.
    package func drawHeads(_ scene: Scene, _ geometry: PreviewLayerGeometry) {
        clear(Color(red: 0.07, green: 0.09, blue: 0.13))
        let visible = geometry.visibleRect
        var ground = Outline()
        ground.addRoundedRect(visible, radius: 0)
        fill(ground, Color(red: 0.13, green: 0.17, blue: 0.24))
        for drawn in scene.drawnFaces(geometry, at: 0) { head(of: drawn.face) }
    }

    private func head(of face: SurfaceFace) {
        let (plane, size) = (face.plane, face.uprightSize)
        var head = Outline()
        head.addEllipse(x: 0, y: -0.02 * size.height, radiusX: 0.52 * size.width, radiusY: 0.54 * size.height)
        fill(plane.project(head), Color(red: 0.85, green: 0.68, blue: 0.55))
        let dark = Color(red: 0.22, green: 0.16, blue: 0.13)
        let eyes = face.assumedEyes
        for (eye, isClosed) in [(eyes.left, face.leftEyeClosed), (eyes.right, face.rightEyeClosed)] {
            var shape = Outline()
            let height = isClosed == true ? 0.012 : 0.05
            shape.addEllipse(x: 0, y: 0, radiusX: 0.055 * size.width, radiusY: height * size.height)
            fill(FacePlane(center: eye, pose: face.assumedPose).project(shape), dark)
        }
        var mouth = Outline()
        let (reach, bend) = (0.16 * size.width, (face.smiling == true ? 0.12 : 0.01) * size.height)
        mouth.move(to: -reach, -bend / 2)
        mouth.curve(to: reach, -bend / 2, control1: (-reach * 0.5, bend), control2: (reach * 0.5, bend))
        stroke(
            FacePlane(center: face.assumedMouth, pose: face.assumedPose).project(mouth),
            dark,
            width: max(1, 0.03 * size.width)
        )
    }
}
