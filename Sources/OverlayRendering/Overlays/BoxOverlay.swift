import FaceMessages

/// A white square with round corners: tilted by roll, in perspective by yaw and pitch.
struct BoxOverlay: Overlay {
    func draw(_ face: SurfaceFace, on canvas: Canvas) {
        let size = face.uprightSize
        // A face that enters is boxed in from outside; a smile fills its box with light.
        let side = max(size.width, size.height) * (1 + 0.25 * face.flash(.enter))
        let line = max(1.5, side * 0.02)
        let plane = FacePlane(center: face.bounds.center, pose: face.assumedPose)
        canvas.fill(plane.project(ring(side: side, line: line, grown: line * 0.4)), .black.withAlpha(0.35))
        if face.flash(.smile) > 0 {
            canvas.fill(plane.project(Self.square(side, side * 0.09)), .white.withAlpha(0.25 * face.flash(.smile)))
        }
        canvas.fill(plane.project(ring(side: side, line: line, grown: 0)), .white)
    }

    /// The area between two squares, so that the line too is nearer and thicker where the face is.
    private func ring(side: Double, line: Double, grown: Double) -> Outline {
        let (radius, half) = (side * 0.09, line / 2 + grown)
        return Self.square(side + 2 * half, radius + half) + Self.square(side - 2 * half, max(0, radius - half))
    }

    private static func square(_ side: Double, _ radius: Double) -> Outline {
        Outline(SurfaceRect(x: -side / 2, y: -side / 2, width: side, height: side), radius: radius)
    }
}
