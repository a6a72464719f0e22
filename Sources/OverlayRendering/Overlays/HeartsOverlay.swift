/// Draws a heart on each visible eye, turned with the head, or a red lid if the eye is closed.
struct HeartsOverlay: Overlay {
    private static let lightRed = Color(red: 1, green: 0.36, blue: 0.42)

    func draw(_ face: SurfaceFace, on canvas: Canvas) {
        let beat = 1 + 0.35 * face.flash(.smile)
        let width = face.headAtEyes.unit.width * 0.36 * beat
        let eyes = [(true, face.leftEyeClosed), (false, face.rightEyeClosed)].map { (face.eyePlane(isLeft: $0), $1) }
        // The nearer heart covers the other one, which disappears where its eye is turned away.
        for (plane, isClosed) in eyes.sorted(by: { $0.0.rotation.forward.z < $1.0.rotation.forward.z })
        where face.shows(plane) {
            if isClosed == true {
                lid(plane, width: width, on: canvas)
            } else {
                heart(plane, width: width, height: width * 0.92, on: canvas)
            }
        }
    }

    /// Draws a closed eye as an arch that hangs down like the edge of a lid.
    private func lid(_ plane: FacePlane, width: Double, on canvas: Canvas) {
        let arch = Outline(from: [-0.42, 0], [([0.42, 0], [-0.28, 0.3], [0.28, 0.3])], isClosed: false)
        let line = plane.project(arch.mapped { $0 * width })
        canvas.stroke(line, .white.withAlpha(0.9), width: width * 0.26)
        canvas.stroke(line, .red, width: width * 0.16)
    }

    private func heart(_ plane: FacePlane, width: Double, height: Double, on canvas: Canvas) {
        let shape = Self.heart.mapped { plane.point($0.x * width / 2, $0.y * height / 2) }
        let rim = max(1, width * 0.05)
        canvas.stroke(shape, .white.withAlpha(0.9), width: rim * 2)
        let light = plane.point(-width * 0.18, -height * 0.2)
        canvas.fill(shape, from: Self.lightRed, to: .red, center: light, radius: width * 0.6)
        let gleam = Outline(ellipse: [-width * 0.24, -height * 0.22], width * 0.09, height * 0.07)
        canvas.fill(plane.project(gleam), .white.withAlpha(0.75))
    }

    /// A heart around the origin, 2 wide and 2 high.
    private static let heart = Outline(
        from: [0, 1],
        [
            ([-1, -0.35], [-0.35, 0.6], [-1, 0.25]), ([-0.5, -1], [-1, -0.75], [-0.8, -1]),
            ([0, -0.5], [-0.22, -1], [-0.04, -0.82]), ([0.5, -1], [0.04, -0.82], [0.22, -1]),
            ([1, -0.35], [0.8, -1], [1, -0.75]), ([0, 1], [1, 0.25], [0.35, 0.6]),
        ]
    )
}
