import FaceMessages

/// A hat on the head, a moustache and a beard, placed by the face's box and tilted with the head.
package struct SantaLook: Look {
    private static let fur = Color(red: 0.97, green: 0.97, blue: 0.95)
    private static let furShade = Color(red: 0.80, green: 0.82, blue: 0.85)
    private static let cloth = Color(red: 0.80, green: 0.07, blue: 0.10)
    private static let clothShade = Color(red: 0.52, green: 0.03, blue: 0.06)

    /// Makes the look.
    package init() {}

    /// Draws each face on its own.
    package func draw(_ faces: [DrawnFace], shutter: Double, on canvas: Canvas) {
        for face in faces {
            beard(face.face, on: canvas)
            moustache(face.face, lift: face.flash(.smile), on: canvas)
            hat(face.face, on: canvas)
        }
    }

    // MARK: - Hat

    private func hat(_ face: SurfaceFace, on canvas: Canvas) {
        // A head is round: turned, it shows as much of a hat as before. So the projection's narrowing is taken back,
        // up to 45°, and only the lean of perspective stays.
        let turn = max(0.7, abs(face.plane.rotation.forward.z))
        let size = face.uprightSize
        let pencil = Pencil(
            plane: face.plane,
            unit: SurfaceSize(width: size.width / turn, height: size.height),
            lift: 0.05
        )
        var cap = Outline()
        cap.move(to: -0.60, -0.44)
        cap.curve(to: 0.02, -1.12, control1: (-0.62, -0.80), control2: (-0.38, -1.10))
        cap.curve(to: 0.86, -0.46, control1: (0.46, -1.14), control2: (0.80, -0.86))
        cap.curve(to: 0.74, -0.42, control1: (0.86, -0.42), control2: (0.78, -0.38))
        cap.curve(to: 0.58, -0.66, control1: (0.72, -0.54), control2: (0.66, -0.62))
        cap.curve(to: 0.60, -0.44, control1: (0.61, -0.58), control2: (0.61, -0.50))
        cap.close()
        pencil.shade(cap, Self.cloth, Self.clothShade, around: (-0.15, -0.85), radius: 1.0, on: canvas)
        var fold = Outline()
        fold.move(to: 0.58, -0.66)
        fold.curve(to: 0.28, -0.90, control1: (0.50, -0.76), control2: (0.40, -0.86))
        pencil.stroke(fold, Self.clothShade, width: 0.02, on: canvas)
        pencil.puff(x: 0.82, y: -0.38, radius: 0.15, Self.fur, Self.furShade, on: canvas)
        brim(pencil, on: canvas)
    }

    /// A band of fur around the forehead, bent a little as it goes around the head.
    private func brim(_ pencil: Pencil, on canvas: Canvas) {
        var band = Outline()
        band.move(to: -0.66, -0.42)
        band.curve(to: 0.66, -0.42, control1: (-0.30, -0.62), control2: (0.30, -0.62))
        band.curve(to: 0.64, -0.27, control1: (0.75, -0.39), control2: (0.75, -0.28))
        band.curve(to: -0.64, -0.27, control1: (0.30, -0.46), control2: (-0.30, -0.46))
        band.curve(to: -0.66, -0.42, control1: (-0.75, -0.28), control2: (-0.75, -0.39))
        band.close()
        pencil.shade(band, Self.fur, Self.furShade, around: (0, -0.52), radius: 0.9, on: canvas)
    }

    // MARK: - Beard and moustache

    private func beard(_ face: SurfaceFace, on canvas: Canvas) {
        let pencil = Pencil(plane: jaw(of: face), unit: face.uprightSize)
        var beard = Outline()
        beard.move(to: -0.54, -0.36)
        beard.curve(to: -0.30, 0.62, control1: (-0.66, 0.05), control2: (-0.56, 0.44))
        beard.curve(to: 0, 0.76, control1: (-0.22, 0.70), control2: (-0.08, 0.68))
        beard.curve(to: 0.30, 0.62, control1: (0.08, 0.68), control2: (0.22, 0.70))
        beard.curve(to: 0.54, -0.36, control1: (0.56, 0.44), control2: (0.66, 0.05))
        beard.curve(to: 0.30, -0.06, control1: (0.50, -0.20), control2: (0.42, -0.10))
        beard.curve(to: -0.30, -0.06, control1: (0.14, -0.02), control2: (-0.14, -0.02))
        beard.curve(to: -0.54, -0.36, control1: (-0.42, -0.10), control2: (-0.50, -0.20))
        beard.close()
        // The mouth stays free.
        beard.addEllipse(x: 0, y: 0.055, radiusX: 0.19, radiusY: 0.068)
        pencil.fill(beard, Self.furShade, on: canvas)
        pencil.fill(scaledAboutMouth(beard, 0.95), Self.fur, on: canvas)
        for x in [-0.26, -0.13, 0.0, 0.13, 0.26] {
            var strand = Outline()
            strand.move(to: x, 0.22)
            strand.curve(
                to: x * 0.75,
                0.60 - abs(x) * 0.35,
                control1: (x * 1.25, 0.34),
                control2: (x * 1.1, 0.46)
            )
            pencil.stroke(strand, Self.furShade, width: 0.012, on: canvas)
        }
    }

    private func scaledAboutMouth(_ outline: Outline, _ factor: Double) -> Outline {
        outline.mapped { SurfacePoint(x: $0.x * factor, y: 0.055 + ($0.y - 0.055) * factor) }
    }

    private func moustache(_ face: SurfaceFace, lift: Double, on canvas: Canvas) {
        var plane = face.plane
        plane.center = face.assumedMouth
        let pencil = Pencil(plane: plane, unit: face.uprightSize)
        let tip = -0.02 - 0.05 * lift
        for side in [-1.0, 1.0] {
            var wing = Outline()
            wing.move(to: 0, -0.125)
            wing.curve(to: side * 0.36, tip, control1: (side * 0.14, -0.17), control2: (side * 0.27, -0.09))
            wing.curve(to: side * 0.12, 0.0, control1: (side * 0.30, 0.05), control2: (side * 0.19, 0.045))
            wing.curve(to: 0, -0.045, control1: (side * 0.06, -0.02), control2: (side * 0.03, -0.035))
            wing.close()
            pencil.stroke(wing, Self.furShade, width: 0.014, on: canvas)
            pencil.shade(wing, .white, Self.furShade, around: (side * 0.1, -0.1), radius: 0.5, on: canvas)
        }
    }

    /// The plane of the jaw. A mouth lies before the middle of the head and moves further than the jaw's outline when
    /// the head turns, so the beard hangs halfway between the two.
    private func jaw(of face: SurfaceFace) -> FacePlane {
        var plane = face.plane
        let below = plane.point(0, CanonicalFace.mouthY * face.uprightSize.height)
        plane.center = face.assumedMouth.middle(to: below)
        return plane
    }
}

/// Draws in shares of a face's size on a plane: x of the width, y of the height.
private struct Pencil {
    var plane: FacePlane
    var unit: SurfaceSize
    /// Moves everything up, by a share of the height.
    var lift = 0.0

    private func point(_ x: Double, _ y: Double) -> SurfacePoint {
        plane.point(x * unit.width, (y - lift) * unit.height)
    }

    private func placed(_ outline: Outline) -> Outline {
        outline.mapped { point($0.x, $0.y) }
    }

    func fill(_ outline: Outline, _ color: Color, on canvas: Canvas) {
        canvas.fill(placed(outline), color)
    }

    func stroke(_ outline: Outline, _ color: Color, width: Double, on canvas: Canvas) {
        canvas.stroke(placed(outline), color, width: max(0.75, width * unit.width))
    }

    func shade(
        _ outline: Outline,
        _ inner: Color,
        _ outer: Color,
        around center: (x: Double, y: Double),
        radius: Double,
        on canvas: Canvas
    ) {
        canvas.fill(
            placed(outline),
            from: inner,
            to: outer,
            center: point(center.x, center.y),
            radius: radius * unit.width
        )
    }

    /// A round tuft of fur.
    func puff(x: Double, y: Double, radius: Double, _ inner: Color, _ outer: Color, on canvas: Canvas) {
        var ball = Outline()
        ball.addEllipse(x: x, y: y, radiusX: radius, radiusY: radius * unit.width / unit.height)
        shade(ball, inner, outer, around: (x - radius * 0.3, y - radius * 0.3), radius: radius * 1.6, on: canvas)
    }
}
