import FaceMessages
import FaceMetadata
import Glibc

/// What the messages say, made visible: box, eyes and mouth, the axes of the head, smile and lids, and the numbers.
///
/// Messages carry three landmarks, the centres of the eyes and of the mouth, so there is no finer mesh to draw.
struct MeshLook: Look {
    private static let line = Color(red: 0.35, green: 0.95, blue: 0.95)
    private static let rightAxis = Color(red: 1, green: 0.30, blue: 0.25)
    private static let downAxis = Color(red: 0.35, green: 0.90, blue: 0.35)
    private static let noseAxis = Color(red: 0.35, green: 0.60, blue: 1)

    func draw(_ faces: [DrawnFace], shutter: Double, on canvas: Canvas) {
        for face in faces {
            box(face.face, on: canvas)
            landmarks(face.face, on: canvas)
            axes(face.face, on: canvas)
        }
        var places = PanelPlace(faces: faces.map(\.face.bounds), in: canvas.size)
        // The nearest first: its numbers are the largest.
        for face in faces.reversed() { values(face.face, &places, on: canvas) }
    }

    private func weight(_ face: SurfaceFace) -> Double { max(1, face.bounds.width * 0.008) }

    private func box(_ face: SurfaceFace, on canvas: Canvas) {
        var outline = Outline()
        outline.addRoundedRect(face.bounds, radius: 0)
        canvas.stroke(outline, .black.withAlpha(0.4), width: weight(face) * 2)
        canvas.stroke(outline, .white.withAlpha(0.8), width: weight(face))
    }

    private func landmarks(_ face: SurfaceFace, on canvas: Canvas) {
        let known = [face.leftEye, face.rightEye, face.mouth].compactMap { $0 }
        if known.count == 3 { canvas.stroke(Outline(polygon: known), Self.line.withAlpha(0.8), width: weight(face)) }
        if let eye = face.leftEye { self.eye(eye, isClosed: face.leftEyeClosed, of: face, on: canvas) }
        if let eye = face.rightEye { self.eye(eye, isClosed: face.rightEyeClosed, of: face, on: canvas) }
        if let mouth = face.mouth {
            var dot = Outline()
            dot.addEllipse(x: mouth.x, y: mouth.y, radiusX: weight(face) * 2, radiusY: weight(face) * 2)
            canvas.fill(dot, Self.line)
        }
    }

    /// An open eye is an almond, a closed one a lid's arc; only a dot if its opening is unknown.
    private func eye(_ point: SurfacePoint, isClosed: Bool?, of face: SurfaceFace, on canvas: Canvas) {
        var plane = face.plane
        plane.center = point
        let reach = face.uprightSize.width * 0.11
        var dot = Outline()
        dot.addEllipse(x: point.x, y: point.y, radiusX: weight(face) * 2, radiusY: weight(face) * 2)
        if isClosed != true { canvas.fill(dot, Self.line) }
        guard let isClosed else { return }
        var lids = Outline()
        lids.move(to: -reach, 0)
        lids.curve(to: reach, 0, control1: (-reach * 0.4, reach * 0.6), control2: (reach * 0.4, reach * 0.6))
        if !isClosed {
            lids.curve(to: -reach, 0, control1: (reach * 0.4, -reach * 0.6), control2: (-reach * 0.4, -reach * 0.6))
        }
        canvas.stroke(plane.project(lids), Self.line, width: weight(face) * 1.5)
    }

    /// The head's own axes from between the eyes and the mouth: red to its right, green to its chin, blue out of its nose.
    private func axes(_ face: SurfaceFace, on canvas: Canvas) {
        guard let pose = face.pose else { return }
        let eyes = face.assumedEyes
        let nose = eyes.left.middle(to: eyes.right).middle(to: face.assumedMouth)
        let plane = FacePlane(center: nose, pose: pose)
        let reach = face.uprightSize.width * 0.5
        let width = weight(face) * 2.5
        for (tip, color) in [
            (plane.point(reach, 0), Self.rightAxis), (plane.point(0, reach), Self.downAxis),
            (plane.point(0, 0, reach), Self.noseAxis),
        ] {
            canvas.stroke(Self.arrow(from: nose, to: tip, head: width * 3), color, width: width)
        }
    }

    private static func arrow(from start: SurfacePoint, to tip: SurfacePoint, head: Double) -> Outline {
        var outline = Outline()
        outline.move(to: start.x, start.y)
        outline.line(to: tip.x, tip.y)
        let length = start.distance(to: tip)
        guard length > head else { return outline }
        let (dx, dy) = ((tip.x - start.x) / length, (tip.y - start.y) / length)
        outline.move(to: tip.x - head * (dx + dy * 0.6), tip.y - head * (dy - dx * 0.6))
        outline.line(to: tip.x, tip.y)
        outline.line(to: tip.x - head * (dx - dy * 0.6), tip.y - head * (dy + dx * 0.6))
        return outline
    }

    // MARK: - Values

    /// Writes the numbers beside a face, smaller where there is no room, or leaves them out where they would cover one.
    private func values(_ face: SurfaceFace, _ places: inout PanelPlace, on canvas: Canvas) {
        let lines = Self.lines(face)
        for share in [1, 0.75, 0.5] {
            let size = max(8, min(face.bounds.width * 0.085, 28) * share)
            let width = max(lines.map { canvas.width(of: $0, size: size) }.max() ?? 0, size * 6) + size * 0.8
            let height = (Double(lines.count) + (face.smile == nil ? 0.2 : 1.2)) * size * 1.25
            let panel = SurfaceSize(width: width, height: height)
            guard let place = places.take(panel, beside: face.bounds, gap: size * 0.2, first: .right) else { continue }
            return write(lines, of: face, size: size, in: place, on: canvas)
        }
    }

    private func write(
        _ lines: [String],
        of face: SurfaceFace,
        size: Double,
        in place: SurfaceRect,
        on canvas: Canvas
    ) {
        var plate = Outline()
        plate.addRoundedRect(place, radius: size * 0.3)
        canvas.fill(plate, .black.withAlpha(0.55))
        let x = place.x + size * 0.4
        var y = place.y + size * 1.1
        for line in lines {
            canvas.text(line, at: SurfacePoint(x: x, y: y), size: size, color: .white)
            y += size * 1.25
        }
        if let smile = face.smile {
            bar(smile, x: x, y: y - size * 0.6, size: size, isOn: face.smiling == true, on: canvas)
        }
    }

    private func bar(_ share: Double, x: Double, y: Double, size: Double, isOn: Bool, on canvas: Canvas) {
        let width = size * 6
        var track = Outline()
        track.addRoundedRect(SurfaceRect(x: x, y: y, width: width, height: size * 0.6), radius: size * 0.3)
        canvas.fill(track, .white.withAlpha(0.25))
        var filled = Outline()
        let length = max(0, min(1, share)) * width
        filled.addRoundedRect(SurfaceRect(x: x, y: y, width: length, height: size * 0.6), radius: size * 0.3)
        canvas.fill(filled, isOn ? Self.downAxis : Self.line)
    }

    static func lines(_ face: SurfaceFace) -> [String] {
        var lines = ["face \(face.faceID.rawValue) · \(percent(face.confidence))"]
        if let pose = face.pose {
            lines.append("roll \(degrees(pose.roll))")
            lines.append("yaw \(degrees(pose.yaw))")
            lines.append("pitch \(degrees(pose.pitch))")
        }
        if let left = face.leftEyeClosed, let right = face.rightEyeClosed {
            lines.append("eyes \(left ? "shut" : "open")/\(right ? "shut" : "open")")
        }
        if let smile = face.smile { lines.append("smile \(percent(smile))") }
        return lines
    }

    private static func degrees(_ value: Double) -> String { Int(exactly: value.rounded()).map { "\($0)°" } ?? "?" }

    // Messages may hold any number, and not every finite one is an Int.
    private static func percent(_ share: Double) -> String {
        Int(exactly: (share * 100).rounded()).map { "\($0) %" } ?? "?"
    }
}
