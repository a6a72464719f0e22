import FaceMessages

extension Scene {
    /// The faces as they lie on a surface at a time, for a look to draw; none of another camera than the geometry's.
    public func drawnFaces(_ geometry: PreviewLayerGeometry, at seconds: Double) -> [DrawnFace] {
        layers.compactMap { layer in
            guard let face = geometry.transformed(layer.face, from: camera) else { return nil }
            var strengths: [Topic: Double] = [:]
            for flash in flashes(of: layer.faceID) {
                strengths[flash.kind] = max(strengths[flash.kind] ?? 0, flash.strength(at: seconds))
            }
            return DrawnFace(face: face, flashes: strengths)
        }
    }
}

extension Canvas {
    /// Draws the scene in a look over what is there.
    public func draw(_ scene: Scene, _ geometry: PreviewLayerGeometry, look: any Look, at seconds: Double) {
        look.draw(scene.drawnFaces(geometry, at: seconds), shutter: scene.shutterStrength(at: seconds), on: self)
    }
}
