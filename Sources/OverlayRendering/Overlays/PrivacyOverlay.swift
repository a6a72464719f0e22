import FaceMetadata

/// Makes the picture under each head unrecognisable: coarse squares, a blur, or one flat colour.
///
/// It hides the faces that it is given, those that are not seen in this frame as strongly as the others. A face that was not
/// found stays visible.
struct PrivacyOverlay: Overlay {
    enum Style: Hashable, Sendable {
        case pixelate
        /// Colours that run into each other.
        case blur
        /// One colour for head and hair, whatever was there.
        case silhouette
    }

    let style: Style

    var hidesFaces: Bool { true }

    /// Squares or blurred spots across a head: with more, acquaintances still recognise each other, and a picture that was not
    /// sharp before keeps more than a quarter of its detail.
    private var cells: Double { style == .pixelate ? 6 : 5 }

    /// The colour of a silhouette: neither that of skin nor that of most rooms.
    private static let flat = Color(red: 0.24, green: 0.27, blue: 0.33)

    func draw(_ faces: [DrawnFace], snapshotFlash: Double, on canvas: Canvas) {
        hide(faces, on: canvas)
        // Where one head lies over another one its outline is an edge. Over what is coarse already there is hardly any.
        let boxes = faces.map(\.face.bounds)
        let overlap = boxes.indices.contains { one in
            boxes[..<one].contains { $0.grown.overlap(with: boxes[one].grown) > 0 }
        }
        if overlap, style != .silhouette { hide(faces.reversed(), on: canvas) }
    }

    private func hide(_ faces: [DrawnFace], on canvas: Canvas) {
        for drawn in faces {
            let (face, size) = (drawn.face, drawn.face.uprightSize)
            // The box of a head that is turned aside is narrower than the head.
            let (width, height) = (max(size.width, 0.78 * size.height), size.height)
            let plane = FacePlane(
                center: face.bounds.center,
                pose: HeadPose(roll: face.assumedPose.roll, yaw: 0, pitch: 0)
            )
            guard style != .silhouette else {
                for shape in Self.headAndHair(width: width, height: height) {
                    canvas.fill(plane.project(shape), Self.flat)
                }
                continue
            }
            // Hair and ears too: the face's box ends at forehead, cheeks and chin.
            let (radiusX, radiusY) = (width * 0.72, height * 0.84)
            let head = Outline(ellipse: [0, -0.14 * height], radiusX, radiusY)
            canvas.coarsen(plane.project(head), cell: 2 * radiusX / cells, isSmooth: style == .blur)
        }
    }

    /// A skull with room for hair, and hair that falls to the shoulders.
    private static func headAndHair(width: Double, height: Double) -> [Outline] {
        let hair = SurfaceRect(x: -0.86 * width, y: -0.3 * height, width: 1.72 * width, height: 1.15 * height)
        return [
            Outline(ellipse: [0, -0.16 * height], 0.92 * width, 0.98 * height), Outline(hair, radius: 0.5 * width),
        ]
    }
}

extension SurfaceRect {
    fileprivate var grown: SurfaceRect {
        SurfaceRect(x: x - 0.5 * width, y: y - 0.5 * height, width: 2 * width, height: 2 * height)
    }
}
