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
        /// Whether the anchor is on the front of the head, along which pictures are bent by default.
        var isOnFront: Bool { self == .eyes || self == .mouth || self == .upperLip }
        /// Whether pictures at the anchor turn with the head and can have an offset in depth.
        var hasDepth: Bool { self != .box }
    }

    struct Part {
        var picture: PastedPicture
        var anchor: Anchor
        var form: Form
    }

    /// The placement and the shape of a picture at its anchor; lengths are in face widths.
    struct Form {
        var width = 1.0
        /// The offset from the anchor: right as seen in the picture, down to the chin, and out of the nose.
        var offset = Vector.zero
        /// The clockwise rotation of the picture in its own plane, in degrees.
        var rotation = 0.0
        var shape = Shape.flat
        /// The degrees by which the picture is turned to the viewer's right. At 90, it is along the side of the head.
        var turn = 0.0
        /// The degrees by which the picture's upper edge is tilted backwards.
        var tilt = 0.0
    }

    /// The shape into which a picture is bent. The raw value is the number of columns into which the picture is cut.
    enum Shape: Int {
        case flat = 4
        /// Bent around the round front of the head.
        case curved = 16
        /// Bent to a ring around the skull, with the picture's middle in front. `width` is then that of the ring.
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

    /// The circumference of a ring around the skull, as a multiple of its width.
    fileprivate static let ringLength = Double.pi * (1 + skullDepth) / 2
    /// The depth of the skull from the forehead to the back, as a multiple of its width.
    fileprivate static let skullDepth = 1.15

    /// Returns a map from positions in face widths from the anchor to the canvas; nil if the anchor is out of sight.
    private func place(_ part: Part, on face: SurfaceFace) -> ((Vector) -> SurfacePoint)? {
        var head = face.headAtEyes
        let unit = head.unit.width
        // Converts face widths to face heights, in which y is given.
        let scale = unit / head.unit.height
        let middle: (y: Double, z: Double)
        switch part.anchor {
        case .eyes: middle = (CanonicalFace.eyeY, HeadModel.depth)
        case .mouth, .upperLip:
            head = face.headAtMouth
            middle = (CanonicalFace.mouthY - (part.anchor == .mouth ? 0 : face.lipGap / 2), HeadModel.depth)
        case .head:
            let lower = (part.form.offset.y + part.height / 2) * scale
            // A ring is visible all around, and moves with the head.
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
    /// The width of the whole picture when it is flat, in face widths. For a ring, that is the circumference.
    fileprivate var length: Double { form.width * (form.shape == .around ? OwnOverlay.ringLength : 1) }
    fileprivate var height: Double { length * Double(picture.size.height) / Double(picture.size.width) }

    /// Converts a position relative to the picture's middle to one relative to the anchor. Both are in face widths.
    fileprivate func position(_ x: Double, _ y: Double) -> Vector {
        var position = Vector(x, y, 0)
        if form.shape == .around {
            let angle = 2 * .pi * x / length
            position = Vector(sin(angle), 0, cos(angle) * OwnOverlay.skullDepth) * (form.width / 2) + Vector(0, y, 0)
        }
        return form.offset + HeadRotation(HeadPose(yaw: form.turn, pitch: form.tilt))(position)
    }
}
