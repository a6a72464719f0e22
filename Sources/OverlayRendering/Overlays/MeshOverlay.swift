/// Draws the measurements: face mesh (or only eyes and mouth), irises, gaze, axes of the head, and numbers.
struct MeshOverlay: Overlay {
    private static let line = Color(red: 0.35, green: 0.95, blue: 0.95)
    private static let rightAxis = Color(red: 1, green: 0.30, blue: 0.25)
    private static let downAxis = Color(red: 0.35, green: 0.90, blue: 0.35)
    private static let noseAxis = Color(red: 0.35, green: 0.60, blue: 1)
    private static let gaze = Color(red: 1, green: 0.80, blue: 0.25)

    func draw(_ faces: [SurfaceFace], snapshotFlash: Double, on canvas: Canvas) {
        for face in faces {
            box(face, on: canvas)
            landmarks(face, on: canvas)
            axes(face, on: canvas)
        }
        var places = PanelPlace(taken: faces.map(\.bounds), area: canvas.size)
        // The nearest first, so that its numbers find a place.
        for face in faces.reversed() { values(face, &places, on: canvas) }
    }

    private func weight(_ face: SurfaceFace) -> Double { max(1, face.bounds.width * 0.008) }

    private func box(_ face: SurfaceFace, on canvas: Canvas) {
        let outline = Outline(face.bounds)
        canvas.stroke(outline, .black.withAlpha(0.4), width: weight(face) * 2)
        canvas.stroke(outline, .white.withAlpha(0.8), width: weight(face))
    }

    /// Draws the mesh's points (without a mesh, eyes and mouth), the irises, and a ray from each eye along the gaze.
    private func landmarks(_ face: SurfaceFace, on canvas: Canvas) {
        let side = weight(face) * 1.5
        let points = face.mesh.isEmpty ? [face.leftEye, face.rightEye, face.mouth].compactMap(\.self) : face.mesh
        let radius = SurfacePoint(repeating: side * 0.5.squareRoot())
        let dots = points.map { Outline.ellipse($0, radius, pieces: 4, first: 0.5) }
        canvas.fill(Outline(lines: dots), Self.line)
        // The last ten points are the irises: for each, its middle and four points around it.
        let irises = face.mesh.count < 10 ? [] : [face.mesh.suffix(10).prefix(5), face.mesh.suffix(5)]
        for iris in irises {
            let center = iris[iris.startIndex]
            let radius = iris.dropFirst().reduce(0) { $0 + center.distance(to: $1) } / 4
            canvas.stroke(Outline(ellipse: center, radius, radius), Self.gaze, width: side)
        }
        let eyes = irises.isEmpty ? [face.leftEye, face.rightEye] : irises.map(\.first)
        guard let gaze = face.gaze else { return }
        for eye in eyes.compactMap(\.self) {
            let tip = FacePlane(center: eye, pose: gaze).point(0, 0, face.uprightSize.width * 0.6)
            canvas.stroke(Outline(line: [eye, tip]), Self.gaze, width: side * 1.5)
        }
    }

    /// Draws the head's axes from the nose: red to the ear on the picture's right, green to the chin, blue forward.
    private func axes(_ face: SurfaceFace, on canvas: Canvas) {
        guard let pose = face.pose else { return }
        let eyes = face.assumedEyes
        let nose = eyes.left.middle(to: eyes.right).middle(to: face.assumedMouth)
        let plane = FacePlane(center: nose, pose: pose)
        let reach = face.uprightSize.width * 0.5
        let width = weight(face) * 2.5
        canvas.stroke(Outline(line: [nose, plane.point(reach, 0)]), Self.rightAxis, width: width)
        canvas.stroke(Outline(line: [nose, plane.point(0, reach)]), Self.downAxis, width: width)
        canvas.stroke(Outline(line: [nose, plane.point(0, 0, reach)]), Self.noseAxis, width: width)
    }

    private static let linesInHeight = 36.0

    /// Writes the numbers beside a face, in the same font size for all faces. Omits them if they would cover a face.
    private func values(_ face: SurfaceFace, _ places: inout PanelPlace, on canvas: Canvas) {
        let side = canvas.panelSides[face.faceID] ?? .right
        // The panel keeps its width while the numbers change.
        var style = PanelStyle(plate: .black.withAlpha(0.55), radius: 0.3, side: side, longest: "gaze -90°/-90°")
        style.size = max(8, canvas.size.height / Self.linesInHeight)
        style.gap = style.size * 0.2
        canvas.write(Self.lines(face), beside: face.bounds, style, in: &places)
        canvas.panelSides[face.faceID] = places.side ?? side
    }

    static func lines(_ face: SurfaceFace) -> [String] {
        var lines = ["face \(face.faceID.rawValue) · \(percent(face.confidence))"]
        let angles = [("roll", face.pose?.roll), ("yaw", face.pose?.yaw), ("pitch", face.pose?.pitch)]
        lines += angles.map { name, angle in "\(name) \(angle.map(degrees) ?? "–")" }
        func eye(_ isClosed: Bool?) -> String { isClosed.map { $0 ? "shut" : "open" } ?? "–" }
        lines.append("eyes \(eye(face.leftEyeClosed))/\(eye(face.rightEyeClosed))")
        lines.append("smile \(face.smile.map(percent) ?? "–")")
        lines.append("gaze \(face.gaze.map { "\(degrees($0.yaw ?? 0))/\(degrees($0.pitch ?? 0))" } ?? "–")")
        return lines
    }
}

// Messages may contain any number, even one that is too large for an Int.

/// Returns an angle in degrees as text, such as `24°`.
package func degrees(_ value: Double) -> String { Int(exactly: value.rounded()).map { "\($0)°" } ?? "?" }

/// Returns a fraction in percent as text, such as `24%`.
package func percent(_ share: Double) -> String { Int(exactly: (share * 100).rounded()).map { "\($0)%" } ?? "?" }
