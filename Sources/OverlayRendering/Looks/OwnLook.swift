import FaceMessages
import Frames
import Glibc

package struct OwnLook: Look {
    enum Anchor: String, CaseIterable {
        /// The middle between the eyes.
        case eyes
        /// The eye on the picture's left.
        case leftEye
        /// The eye on the picture's right.
        case rightEye
        case mouth
        /// The middle of the head, between the ears.
        case head
        /// The upright box around the face, which does not turn.
        case box

        /// Whether the head's front is round there, so that a picture can follow it.
        var canCurve: Bool { self == .eyes || self == .mouth || self == .head }

        /// Whether a picture turns with the head there, and can lie before or behind it.
        var hasDepth: Bool { self != .box }
    }

    /// One picture and where it goes; lengths are shares of the face's width.
    struct Part {
        var picture: PastedPicture
        var anchor: Anchor
        var width: Double
        /// To the face's right as seen in the picture, down to its chin, out of its nose.
        var offset: Vector
        /// Clockwise, in degrees.
        var rotation: Double
        /// Whether it follows the head's round front.
        var isCurved: Bool
    }

    let parts: [Part]

    package func draw(_ faces: [DrawnFace], shutter: Double, on canvas: Canvas) {
        for face in faces {
            for part in parts { draw(part, on: face.face, canvas) }
        }
    }

    private func draw(_ part: Part, on face: SurfaceFace, _ canvas: Canvas) {
        guard let place = place(part, on: face) else { return }
        let unit = part.anchor == .box ? face.bounds.width : face.headAtEyes.unit.width
        let (columns, rows) = part.isCurved ? (16, 4) : part.anchor.hasDepth ? (4, 4) : (1, 1)
        let (sine, cosine) = (sin(part.rotation * .pi / 180), cos(part.rotation * .pi / 180))
        let height = part.width * Double(part.picture.size.height) / Double(part.picture.size.width)
        canvas.paste(part.picture, width: part.width * unit, columns: columns, rows: rows) { u, v in
            let (x, y) = ((u - 0.5) * part.width, (v - 0.5) * height)
            return place(x * cosine - y * sine + part.offset.x, x * sine + y * cosine + part.offset.y)
        }
    }

    /// Where a point goes that lies so many widths of the face to the right of the anchor and below it; nil if the anchor is
    /// hidden.
    private func place(_ part: Part, on face: SurfaceFace) -> ((_ x: Double, _ y: Double) -> SurfacePoint)? {
        let lift = part.offset.z
        switch part.anchor {
        case .eyes: return place(part, on: face.headAtEyes, y: CanonicalFace.eyeY, z: HeadModel.depth)
        case .mouth: return place(part, on: face.headAtMouth, y: CanonicalFace.mouthY, z: HeadModel.depth)
        case .head: return place(part, on: face.headAtEyes, y: 0, z: 0)
        case .leftEye, .rightEye:
            let plane = face.eyePlane(part.anchor == .leftEye ? .left : .right)
            guard face.shows(plane) else { return nil }
            let unit = face.headAtEyes.unit.width
            return { x, y in plane.point(x * unit, y * unit, lift * unit) }
        case .box:
            let (center, unit) = (face.bounds.center, face.bounds.width)
            return { x, y in SurfacePoint(x: center.x + x * unit, y: center.y + y * unit) }
        }
    }

    private func place(
        _ part: Part,
        on head: HeadModel,
        y: Double,
        z: Double
    ) -> ((_ x: Double, _ y: Double) -> SurfacePoint) {
        // The head's heights are counted in shares of its height.
        let (scale, top, depth, lift) = (head.unit.width / head.unit.height, y, z, part.offset.z)
        guard part.isCurved else { return { x, y in head.point(x, top + y * scale, depth + lift) } }
        return { x, y in head.wrapped(x, top + y * scale, lift: lift) }
    }
}
