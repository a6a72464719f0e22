import CCairo
import FaceMessages
import FaceMetadata

extension Scene {
    /// The faces as they lie on a surface at a time, for a look to draw: the nearest, which is the largest, last.
    ///
    /// - Returns: the faces that have a place on the surface, and how strong each is drawn, 0…1.
    func drawnFaces(
        _ geometry: PreviewLayerGeometry,
        at seconds: Double,
        fades: Bool = false
    ) -> [(face: DrawnFace, strength: Double)] {
        let drawn = faces.compactMap { object -> (face: DrawnFace, strength: Double)? in
            let strength = fades ? strength(of: object, at: seconds) : 1
            guard strength > 0, let face = geometry.transformed(object) else { return nil }
            var strengths: [Topic: Double] = [:]
            for flash in flashes(of: object.faceID) {
                strengths[flash.kind] = max(strengths[flash.kind] ?? 0, flash.strength(at: seconds))
            }
            var drawn = DrawnFace(face: face, flashes: strengths)
            drawn.closedFor = closedSince[object.faceID].map { seconds - $0 } ?? 0
            return (drawn, strength)
        }
        return drawn.sorted { $0.face.face.bounds.area < $1.face.face.bounds.area }
    }
}

extension Canvas {
    /// Draws the scene in a look over what is there, and nothing beside the picture; a face that is not seen any more fades,
    /// unless the look hides faces.
    package func draw(_ scene: Scene, _ geometry: PreviewLayerGeometry, look: any Look, at seconds: Double) {
        let faces = scene.drawnFaces(geometry, at: seconds, fades: !look.hidesFaces)
        let visible = geometry.visibleRect
        cairo_save(context)
        defer { cairo_restore(context) }
        if visible.width < size.width || visible.height < size.height {
            cairo_rectangle(context, visible.x, visible.y, visible.width, visible.height)
            cairo_clip(context)
        }
        if look.showsZones { draw(scene.state.zones, geometry, beside: faces.map(\.face.face.bounds)) }
        for (face, strength) in faces where strength < 1 {
            cairo_push_group(context)
            look.draw([face], shutter: 0, on: self)
            cairo_pop_group_to_source(context)
            cairo_paint_with_alpha(context, strength)
        }
        let shutter = look.hidesFaces ? 0 : scene.shutterStrength(at: seconds)
        look.draw(faces.filter { $0.strength == 1 }.map(\.face), shutter: shutter, on: self)
    }
}

extension Canvas {
    /// Draws the borders of zones, with their names and the number of faces in each beside them.
    private func draw(_ zones: [ZonesMessage.Zone], _ geometry: PreviewLayerGeometry, beside faces: [SurfaceRect]) {
        var places = PanelPlace(faces: faces, in: size)
        for zone in zones where !zone.area.isEmpty {
            let corners = zone.area.map(geometry.surfacePoint(fromPicture:))
            let (border, line) = (Outline(polygon: corners), max(1.5, size.height / 240))
            fill(border, .white.withAlpha(zone.faces > 0 ? 0.2 : 0.06))
            stroke(border, .black.withAlpha(0.35), width: 2 * line)
            stroke(border, zone.faces > 0 ? Color(red: 1, green: 0.82, blue: 0.25) : .white, width: line)
            let (xs, ys) = (corners.map(\.x), corners.map(\.y))
            let box = SurfaceRect(
                corner: SurfacePoint(x: xs.min() ?? 0, y: ys.min() ?? 0),
                opposite: SurfacePoint(x: xs.max() ?? 0, y: ys.max() ?? 0)
            )
            let words = zone.faces > 0 ? "\(zone.name) · \(zone.faces)" : zone.name
            write([words], size: max(9, size.height / 32), beside: box, gap: line, PanelStyle(), in: &places)
        }
    }

    /// Draws a stand-in for a picture: a dark ground and a plain head wherever there is a face.
    package func drawHeads(_ scene: Scene, _ geometry: PreviewLayerGeometry) {
        clear(Color(red: 0.07, green: 0.09, blue: 0.13))
        let visible = geometry.visibleRect
        var ground = Outline()
        ground.addRoundedRect(visible, radius: 0)
        fill(ground, Color(red: 0.13, green: 0.17, blue: 0.24))
        for drawn in scene.drawnFaces(geometry, at: 0) { head(of: drawn.face.face) }
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
