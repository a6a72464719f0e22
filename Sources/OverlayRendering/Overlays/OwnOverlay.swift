import Glibc

/// An overlay of the user's own: pictures that are pasted onto each face.
package struct OwnOverlay: Overlay {
    /// The part of a face that a picture sticks to.
    enum Anchor: String, CaseIterable {
        /// The middle between the eyes.
        case eyes
        /// The eye on the picture's left.
        case leftEye
        /// The eye on the picture's right.
        case rightEye
        case mouth
        /// The middle of the upper lip, which keeps its place while the mouth opens.
        case upperLip
        /// The middle of the head, between the ears.
        case head
        /// The upright box around the face, which does not turn.
        case box
        /// Whether it is on the head's front, which a picture follows unless its file says otherwise.
        var isOnFront: Bool { self == .eyes || self == .mouth || self == .upperLip }
        /// Whether a picture turns with the head there, and can lie before or behind it.
        var hasDepth: Bool { self != .box }
    }

    struct Part {
        var picture: PastedPicture
        var anchor: Anchor
        var form: Form
    }

    /// The form of a picture at its anchor; lengths are shares of the face's width.
    struct Form {
        var width = 1.0
        /// The offset to the face's right as seen in the picture, down to its chin, and out of its nose.
        var offset = Vector.zero
        /// The rotation in the picture, clockwise, in degrees.
        var rotation = 0.0
        var shape = Shape.flat
        /// The turn to the head's right as seen in the picture, in degrees: at 90 the picture is along the head's side.
        var turn = 0.0
        /// The tilt of the upper edge backwards, in degrees.
        var tilt = 0.0
    }

    /// The shape that the picture follows; the raw value is the number of columns that it is divided into for that.
    enum Shape: Int {
        case flat = 4
        /// The head's round front.
        case curved = 16
        /// A ring around the skull, with the middle of the picture in front; the width is that of the ring.
        case around = 32
    }

    let parts: [Part]

    package func draw(_ face: SurfaceFace, on canvas: Canvas) { for part in parts { draw(part, on: face, canvas) } }

    private func draw(_ part: Part, on face: SurfaceFace, _ canvas: Canvas) {
        guard let place = place(part, on: face) else { return }
        let unit = part.anchor == .box ? face.bounds.width : face.headAtEyes.unit.width
        let size = SurfaceSize(width: part.length, height: part.height)
        let cells = part.anchor.hasDepth ? SIMD2(part.form.shape.rawValue, 4) : [1, 1]
        let (sine, cosine) = HeadRotation.sinCos(part.form.rotation)
        canvas.paste(part.picture, width: size.width * unit, cells: cells) { share in
            let point = (share - 0.5) * size
            return place(part.position(point.x * cosine - point.y * sine, point.x * sine + point.y * cosine))
        }
    }

    /// The length of a ring around the skull as a multiple of its width.
    fileprivate static let ringLength = Double.pi * (1 + skullDepth) / 2
    /// The length of the skull, from the forehead to the back, as a multiple of its width.
    fileprivate static let skullDepth = 1.15

    /// A map of positions, in widths of the face from the anchor, to the surface; nil if the anchor is hidden.
    private func place(_ part: Part, on face: SurfaceFace) -> ((Vector) -> SurfacePoint)? {
        var head = face.headAtEyes
        let unit = head.unit.width
        // Heights of the head are shares of its height.
        let scale = unit / head.unit.height
        let middle: (y: Double, z: Double)
        switch part.anchor {
        case .eyes: middle = (CanonicalFace.eyeY, HeadModel.depth)
        case .mouth, .upperLip:
            head = face.headAtMouth
            middle = (CanonicalFace.mouthY - (part.anchor == .mouth ? 0 : face.lipGap / 2), HeadModel.depth)
        case .head:
            let lower = (part.form.offset.y + part.height / 2) * scale
            // A ring is seen whole, and goes with the head.
            if part.form.shape != .around, lower < CanonicalFace.eyeY {
                head = head.carrying(lower, part.form.offset.z)
            }
            middle = (0, 0)
        case .leftEye, .rightEye:
            let plane = face.eyePlane(isLeft: part.anchor == .leftEye)
            return face.shows(plane) ? { plane.point($0.x * unit, $0.y * unit, $0.z * unit) } : nil
        case .box: return { face.bounds.center + SurfacePoint($0.x, $0.y) * face.bounds.width }
        }
        let isCurved = part.form.shape == .curved
        return { [head] position in
            let y = middle.y + position.y * scale
            return isCurved
                ? head.wrapped(position.x, y, lift: position.z) : head.point(position.x, y, middle.z + position.z)
        }
    }
}

extension OwnOverlay.Part {
    /// The length of the picture along its shape, in widths of the face.
    fileprivate var length: Double { form.width * (form.shape == .around ? OwnOverlay.ringLength : 1) }
    fileprivate var height: Double { length * Double(picture.size.height) / Double(picture.size.width) }

    /// The position, from the anchor, of a point of the picture; x and y are from the picture's middle.
    fileprivate func position(_ x: Double, _ y: Double) -> Vector {
        var position = Vector(x, y, 0)
        if form.shape == .around {
            let angle = 2 * .pi * x / length
            position = Vector(sin(angle), 0, cos(angle) * OwnOverlay.skullDepth) * (form.width / 2) + Vector(0, y, 0)
        }
        return form.offset + HeadRotation(HeadPose(yaw: form.turn, pitch: form.tilt))(position)
    }
}
