import FaceMetadata

/// Makes the picture under each head unrecognisable: coarse squares, or a blur.
///
/// It hides the faces that the metadata names, and draws one that is hidden in this frame as strongly as the others. A face
/// that was not found stays visible.
package struct PrivacyLook: Look {
    /// How the picture is made coarse.
    package enum Style: Hashable, Sendable {
        /// Squares of one colour each.
        case pixelate
        /// Colours that run into each other.
        case blur
    }

    /// How the picture is made coarse.
    package let style: Style

    /// Makes the look in a style.
    package init(_ style: Style) {
        self.style = style
    }

    /// The picture is changed, not drawn over.
    package var hidesFaces: Bool { true }

    /// Squares or blurred spots across a head: with more, acquaintances still recognise each other.
    private var cells: Double { style == .pixelate ? 9 : 8 }

    /// Hides each face on its own.
    package func draw(_ faces: [DrawnFace], shutter: Double, on canvas: Canvas) {
        for drawn in faces {
            let (face, size) = (drawn.face, drawn.face.uprightSize)
            // Hair and ears too: the face's box ends at forehead, cheeks and chin.
            let (radiusX, radiusY) = (size.width * 0.72, size.height * 0.78)
            var head = Outline()
            head.addEllipse(x: 0, y: -0.10 * size.height, radiusX: radiusX, radiusY: radiusY)
            let plane = FacePlane(
                center: face.bounds.center,
                pose: HeadPose(roll: face.assumedPose.roll, yaw: 0, pitch: 0)
            )
            canvas.coarsen(plane.project(head), cell: 2 * radiusX / cells, isSmooth: style == .blur)
        }
    }
}
