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
