import FaceMessages

/// A heart centred on each eye, turned with the head; one whose eye is turned away is not drawn.
struct HeartsLook: Look {
    func draw(_ faces: [DrawnFace], shutter: Double, on canvas: Canvas) {
        for face in faces { draw(face, on: canvas) }
    }

    private func draw(_ drawn: DrawnFace, on canvas: Canvas) {
        let face = drawn.face
        let beat = 1 + 0.35 * drawn.flash(.smile)
        let width = face.headAtEyes.unit.width * 0.36 * beat
        let eyes = [(face.eyePlane(.left), face.leftEyeClosed), (face.eyePlane(.right), face.rightEyeClosed)]
        // The nearer heart lies over the other one, which disappears where its eye is turned away.
        for (plane, isClosed) in eyes.sorted(by: { $0.0.rotation.forward.z < $1.0.rotation.forward.z })
        where face.shows(plane) {
            heart(plane, width: width, height: width * (isClosed == true ? 0.35 : 0.92), on: canvas)
        }
    }

    private func heart(_ plane: FacePlane, width: Double, height: Double, on canvas: Canvas) {
        let shape = plane.project(Self.heart(width: width, height: height))
        let rim = max(1, width * 0.05)
        canvas.stroke(shape, .white.withAlpha(0.9), width: rim * 2)
        canvas.fill(
            shape,
            from: Color(red: 1, green: 0.36, blue: 0.42),
            to: Color.red,
            center: plane.point(-width * 0.18, -height * 0.2),
            radius: width * 0.6
        )
        var gleam = Outline()
        gleam.addEllipse(x: -width * 0.24, y: -height * 0.22, radiusX: width * 0.09, radiusY: height * 0.07)
        canvas.fill(plane.project(gleam), .white.withAlpha(0.75))
    }

    /// A heart around the origin, of that width and height.
    static func heart(width: Double, height: Double) -> Outline {
        let (w, h) = (width / 2, height / 2)
        var outline = Outline()
        outline.move(to: 0, h)
        outline.curve(to: -w, -0.35 * h, control1: (-0.35 * w, 0.6 * h), control2: (-w, 0.25 * h))
        outline.curve(to: -0.5 * w, -h, control1: (-w, -0.75 * h), control2: (-0.8 * w, -h))
        outline.curve(to: 0, -0.5 * h, control1: (-0.22 * w, -h), control2: (-0.04 * w, -0.82 * h))
        outline.curve(to: 0.5 * w, -h, control1: (0.04 * w, -0.82 * h), control2: (0.22 * w, -h))
        outline.curve(to: w, -0.35 * h, control1: (0.8 * w, -h), control2: (w, -0.75 * h))
        outline.curve(to: 0, h, control1: (w, 0.25 * h), control2: (0.35 * w, 0.6 * h))
        outline.close()
        return outline
    }
}
