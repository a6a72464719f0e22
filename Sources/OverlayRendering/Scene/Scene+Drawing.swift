import CCairo
import FaceMessages
import FaceMetadata

extension Scene {
    /// The faces as they lie on a surface at a time, for a look to draw; none of another camera than the geometry's.
    ///
    /// - Parameters:
    ///   - geometry: where the picture lies.
    ///   - seconds: the time, by which marks fade.
    ///   - isSeen: only the faces that were seen in the frame, or only those that were hidden; nil for all.
    /// - Returns: the faces that have a place on the surface.
    package func drawnFaces(
        _ geometry: PreviewLayerGeometry,
        at seconds: Double,
        isSeen: Bool? = nil
    ) -> [DrawnFace] {
        layers.compactMap { layer in
            guard isSeen == nil || layer.face.isSeen == isSeen,
                let face = geometry.transformed(layer.face, from: camera)
            else { return nil }
            var strengths: [Topic: Double] = [:]
            for flash in flashes(of: layer.faceID) {
                strengths[flash.kind] = max(strengths[flash.kind] ?? 0, flash.strength(at: seconds))
            }
            return DrawnFace(face: face, flashes: strengths)
        }
    }
}

extension Canvas {
    /// How strong a face is drawn that is hidden in this frame: where it was seen last may be somebody's hand by now.
    private static let hidden = 0.3

    /// Draws the scene in a look over what is there; a face that is hidden is drawn faintly.
    package func draw(_ scene: Scene, _ geometry: PreviewLayerGeometry, look: any Look, at seconds: Double) {
        guard !look.hidesFaces else {
            return look.draw(scene.drawnFaces(geometry, at: seconds), shutter: 0, on: self)
        }
        let hidden = scene.drawnFaces(geometry, at: seconds, isSeen: false)
        if !hidden.isEmpty {
            cairo_push_group(context)
            look.draw(hidden, shutter: 0, on: self)
            cairo_pop_group_to_source(context)
            cairo_paint_with_alpha(context, Self.hidden)
        }
        let seen = scene.drawnFaces(geometry, at: seconds, isSeen: true)
        look.draw(seen, shutter: scene.shutterStrength(at: seconds), on: self)
    }
}

extension Canvas {
    /// Draws a stand-in for a picture: a dark ground and a plain head wherever there is a face.
    package func drawHeads(_ scene: Scene, _ geometry: PreviewLayerGeometry) {
        clear(Color(red: 0.07, green: 0.09, blue: 0.13))
        let visible = geometry.visibleRect
        var ground = Outline()
        ground.addRoundedRect(visible, radius: 0)
        fill(ground, Color(red: 0.13, green: 0.17, blue: 0.24))
        for drawn in scene.drawnFaces(geometry, at: 0) { head(of: drawn.face) }
    }

    private func head(of face: SurfaceFace) {
        let (plane, size) = (face.plane, face.uprightSize)
        var head = Outline()
        head.addEllipse(x: 0, y: -0.02 * size.height, radiusX: 0.52 * size.width, radiusY: 0.54 * size.height)
        fill(plane.project(head), Color(red: 0.85, green: 0.68, blue: 0.55))
        let dark = Color(red: 0.22, green: 0.16, blue: 0.13)
        let eyes = face.assumedEyes
        for (eye, isClosed) in [(eyes.left, face.leftEyeClosed), (eyes.right, face.rightEyeClosed)] {
            var shape = Outline()
            let height = isClosed == true ? 0.012 : 0.05
            shape.addEllipse(x: 0, y: 0, radiusX: 0.055 * size.width, radiusY: height * size.height)
            fill(FacePlane(center: eye, pose: face.assumedPose).project(shape), dark)
        }
        var mouth = Outline()
        let (reach, bend) = (0.16 * size.width, (face.smiling == true ? 0.12 : 0.01) * size.height)
        mouth.move(to: -reach, -bend / 2)
        mouth.curve(to: reach, -bend / 2, control1: (-reach * 0.5, bend), control2: (reach * 0.5, bend))
        stroke(
            FacePlane(center: face.assumedMouth, pose: face.assumedPose).project(mouth),
            dark,
            width: max(1, 0.03 * size.width)
        )
    }
}
