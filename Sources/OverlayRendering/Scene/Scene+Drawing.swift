import CCairo

extension Scene {
    /// A face and the opacity, 0…1, with which it is drawn.
    typealias DrawnFace = (face: SurfaceFace, strength: Double)

    /// Returns the faces to draw at a time, the largest last. With `fades`, faces that are no longer seen fade out.
    func drawnFaces(_ geometry: PreviewLayerGeometry, at seconds: Double, fades: Bool = false) -> [DrawnFace] {
        let drawn = faces.compactMap { object -> DrawnFace? in
            let strength = fades ? strength(of: object, at: seconds) : 1
            guard strength > 0, var face = geometry.transformed(object) else { return nil }
            let strengths = flashes[object.faceID, default: []].map { ($0.kind, $0.strength(at: seconds)) }
            face.flashes = Dictionary(strengths, uniquingKeysWith: max)
            face.closedFor = closedSince[object.faceID].map { seconds - $0 } ?? 0
            return (face, strength)
        }
        return drawn.sorted { $0.face.bounds.area < $1.face.bounds.area }
    }
}

extension Canvas {
    /// Draws a scene with an overlay. A face that is no longer seen fades out, unless the overlay hides faces.
    package func draw(_ scene: Scene, _ geometry: PreviewLayerGeometry, overlay: any Overlay, at seconds: Double) {
        let faces = scene.drawnFaces(geometry, at: seconds, fades: !overlay.hidesFaces)
        let visible = geometry.visibleRect
        cairo_save(context)
        defer { cairo_restore(context) }
        if visible.width < size.width || visible.height < size.height {
            cairo_rectangle(context, visible.x, visible.y, visible.width, visible.height)
            cairo_clip(context)
        }
        if overlay.showsZones { draw(scene.state.zones, geometry, beside: faces.map(\.face.bounds)) }
        for (face, strength) in faces where strength < 1 {
            cairo_push_group(context)
            overlay.draw([face], snapshotFlash: 0, on: self)
            cairo_pop_group_to_source(context)
            cairo_paint_with_alpha(context, strength)
        }
        let snapshotFlash = overlay.hidesFaces ? 0 : scene.snapshotFlashStrength(at: seconds)
        overlay.draw(faces.filter { $0.strength == 1 }.map(\.face), snapshotFlash: snapshotFlash, on: self)
        guard scene.showsLevels else { return }
        for (face, strength) in faces where strength == 1 { level(of: face, limit: min(1, scene.state.smileLevel)) }
    }

    /// Draws a face's smile level as a bar beside it, with a line at the level where a smile begins.
    private func level(of face: SurfaceFace, limit: Double) {
        guard face.isSeen, let level = face.smile, level.isFinite else { return }
        let box = face.bounds
        let width = max(size.height / 60, box.width * 0.07)
        // Beyond the boxes of overlays, which are a little larger, and at the left, as overlays write at the right.
        let x = max(width / 2, box.x - 0.12 * box.width - width)
        func part(_ low: Double, _ high: Double, _ wider: Double = 0) -> SurfaceRect {
            let origin = SurfacePoint(x - wider, box.y + box.height * (1 - high))
            return SurfaceRect(origin: origin, size: [width + 2 * wider, box.height * (high - low)])
        }
        fill(Outline(part(0, 1), radius: width / 4), .black.withAlpha(0.55))
        let color = face.smiling == true ? Color(red: 1, green: 0.5, blue: 0.62) : .white.withAlpha(0.85)
        fill(Outline(part(0, min(max(level, 0), 1)), radius: width / 4), color)
        let line = max(1.5, width / 3) / box.height
        fill(Outline(part(limit - line / 2, limit + line / 2, width / 3)), .mark)
    }

    /// Draws the borders of zones, with the name and the number of faces of each.
    private func draw(_ zones: [ZonesMessage.Zone], _ geometry: PreviewLayerGeometry, beside faces: [SurfaceRect]) {
        var places = PanelPlace(taken: faces, area: size)
        let line = max(1.5, size.height / 240)
        for zone in zones {
            let border = Outline(polygon: zone.area.map(geometry.surfacePoint(fromPicture:)))
            guard let box = border.bounds else { continue }
            fill(border, .white.withAlpha(zone.faces > 0 ? 0.2 : 0.06))
            stroke(border, .black.withAlpha(0.35), width: 2 * line)
            stroke(border, zone.faces > 0 ? .mark : .white, width: line)
            let words = zone.faces > 0 ? "\(zone.name) · \(zone.faces)" : zone.name
            write([words], beside: box, PanelStyle(size: max(9, size.height / 32), gap: line), in: &places)
        }
    }

    /// Draws a substitute for a missing picture: a dark background and a plain head for each face.
    package func drawHeads(_ scene: Scene, _ geometry: PreviewLayerGeometry) {
        clear(Color(red: 0.07, green: 0.09, blue: 0.13))
        fill(Outline(geometry.visibleRect), Color(red: 0.13, green: 0.17, blue: 0.24))
        for drawn in scene.drawnFaces(geometry, at: 0) { head(of: drawn.face) }
    }

    private func head(of face: SurfaceFace) {
        let size = face.uprightSize
        let head = Outline(ellipse: [0, -0.02 * size.height], 0.52 * size.width, 0.54 * size.height)
        fill(face.plane.project(head), Color(red: 0.85, green: 0.68, blue: 0.55))
        let dark = Color(red: 0.22, green: 0.16, blue: 0.13)
        let eyes = face.assumedEyes
        for (eye, isClosed) in [(eyes.left, face.leftEyeClosed), (eyes.right, face.rightEyeClosed)] {
            let shape = Outline(ellipse: .zero, 0.055 * size.width, (isClosed == true ? 0.012 : 0.05) * size.height)
            fill(FacePlane(center: eye, pose: face.assumedPose).project(shape), dark)
        }
        let reach = 0.16 * size.width
        let bend = (face.smiling == true ? 0.12 : 0.01) * size.height
        let curve: Outline.Curve = (end: [reach, -bend / 2], near: [-reach * 0.5, bend], far: [reach * 0.5, bend])
        let lips = Outline(from: [-reach, -bend / 2], [curve], isClosed: false)
        let mouth = FacePlane(center: face.assumedMouth, pose: face.assumedPose).project(lips)
        stroke(mouth, dark, width: max(1, 0.03 * size.width))
    }
}
