/// Makes heads unrecognisable by coarse squares, a blur, or a flat shape of head and shoulders. A face that is briefly
/// not seen is hidden too. A face that was never found stays visible.
struct PrivacyOverlay: Overlay {
    enum Style: Hashable, Sendable {
        case pixelate
        case blur
        /// One flat colour over head, hair and shoulders, with an edge around each person.
        case silhouette
    }

    let style: Style
    var hidesFaces: Bool { true }
    /// The number of squares or blurred spots across a head. With more, people would recognise acquaintances.
    private var cells: Double { style == .pixelate ? 6 : 5 }
    /// The colour of a silhouette, which differs from skin and from most rooms.
    private static let flat = Color(red: 0.24, green: 0.27, blue: 0.33)
    private static let edge = Color(red: 0.47, green: 0.52, blue: 0.61)
    /// The largest roll of a head, in degrees, at which the shoulders stay level. Beyond it, they tilt by the excess.
    private static let farthestTilt = 30.0

    func draw(_ faces: [SurfaceFace], snapshotFlash: Double, on canvas: Canvas) {
        guard style != .silhouette else { return stand(in: faces, on: canvas) }
        hide(faces, on: canvas)
        // Where heads overlap, the outline of the upper one is a sharp edge. Hiding all in reverse order softens it.
        let boxes = faces.map { SurfaceRect(center: $0.bounds.center, size: 2 * $0.bounds.size) }
        let overlap = boxes.indices.contains { one in boxes[..<one].contains { $0.overlap(with: boxes[one]) > 0 } }
        if overlap { hide(faces.reversed(), on: canvas) }
    }

    private func hide(_ faces: [SurfaceFace], on canvas: Canvas) {
        for face in faces {
            let size = face.uprightSize
            // The box of a head that is turned aside is narrower than the head.
            let width = max(size.width, 0.78 * size.height)
            let plane = FacePlane(center: face.bounds.center, pose: HeadPose(roll: face.assumedPose.roll))
            // Includes hair and ears: the face's box ends at forehead, cheeks and chin.
            let radius = 0.72 * width
            let head = Outline(ellipse: [0, -0.14 * size.height], radius, 0.84 * size.height)
            canvas.coarsen(plane.project(head), cell: 2 * radius / cells, isSmooth: style == .blur)
        }
    }

    /// Draws the shape of each person. A person whose face is lower in the picture is taken to be nearer.
    private func stand(in faces: [SurfaceFace], on canvas: Canvas) {
        for face in faces.sorted(by: { $0.bounds.y + $0.bounds.height < $1.bounds.y + $1.bounds.height }) {
            let person = Self.headAndShoulders(face)
            canvas.stroke(person, Self.edge, width: max(2, 0.07 * face.uprightSize.width))
            canvas.fill(person, Self.flat, overlaps: true)
        }
        // Covers the edges of other people inside a face, which would be detail.
        for face in faces { canvas.fill(Self.inside(face, 0.5), Self.flat) }
    }

    private static func inside(_ face: SurfaceFace, _ radius: Double) -> Outline {
        Outline(ellipse: face.bounds.center, radius * face.bounds.width, radius * face.bounds.height)
    }

    /// Returns a person's outline: the convex hull of skull, hair, jaw and the face's box, with the shoulders below.
    private static func headAndShoulders(_ face: SurfaceFace) -> Outline {
        let head = face.headAtEyes
        let unit = head.unit.width
        let roll = face.assumedPose.roll
        // Height from the middle of the head in face heights, depth and radius in face widths.
        let balls = [(-0.34, -0.22, 0.80), (-0.32, 0.02, 0.74), (0.20, 0.10, 0.50)].flatMap { y, z, radius in
            Outline(ellipse: head.point(0, y, z), radius * unit, radius * unit).lines.joined()
        }
        let skull = Outline.hull(balls + inside(face, 0.58).lines.joined())
        let tilt = roll - max(-farthestTilt, min(roll, farthestTilt))
        let body = FacePlane(center: head.point(0, 0.60, -0.10), pose: HeadPose(roll: tilt))
        return Outline(lines: [skull]) + body.project(shoulders.mapped { $0 * unit })
    }

    /// The outline of the shoulders around the base of the neck, in face widths.
    private static let shoulders: Outline = {
        let right: [Outline.Curve] = [
            ([0.42, 0.10], [0.42, -0.40], [0.40, -0.05]), ([1.18, 0.62], [0.46, 0.36], [1.10, 0.22]),
            ([1.05, 0.95], [1.22, 0.82], [1.20, 0.95]), ([0, 0.95], [0.6, 0.95], [0.3, 0.95]),
        ]
        let half = Outline(from: [0, -0.45], right).lines[0]
        return Outline(polygon: half + half.reversed().map { $0 * [-1, 1] })
    }()
}
