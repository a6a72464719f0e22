import FaceMessages
import Glibc

/// A hat, a moustache and a beard, in three dimensions: they turn with the head, and what it hides is not seen.
struct SantaLook: Look {
    private static let fur = Color(red: 0.97, green: 0.97, blue: 0.95)
    private static let furShade = Color(red: 0.80, green: 0.82, blue: 0.85)
    private static let cloth = Color(red: 0.80, green: 0.07, blue: 0.10)
    private static let clothShade = Color(red: 0.52, green: 0.03, blue: 0.06)

    func draw(_ faces: [DrawnFace], shutter: Double, on canvas: Canvas) {
        for face in faces {
            beard(face.face.headAtMouth, on: canvas)
            moustache(face.face.headAtMouth, lift: face.flash(.smile), on: canvas)
            hat(face.face.headAtEyes, on: canvas)
        }
    }

    // MARK: - Hat

    /// The middle of the hat's brim, and its half-widths across and along the skull.
    private static let brim = (y: -0.42, z: -0.20, across: 0.60, along: 0.70)

    /// The brim is higher over the forehead than at the back of the head, by this share of the height per width.
    private static let brimTilt = -0.10

    /// A point of the ring around the head, by its angle from the head's right over its front.
    private static func ring(_ angle: Double) -> Vector {
        let z = sin(angle) * brim.along
        return Vector(cos(angle) * brim.across, brim.y + brimTilt * z, brim.z + z)
    }

    private func hat(_ head: HeadModel, on canvas: Canvas) {
        // From one side of the head to the other over its front, as seen: where the ring turns away from the viewer.
        let front = (0...24).map { head.point(Self.ring(.pi * Double($0) / 24 + Self.turn(head))) }
        guard let first = front.first, let last = front.last else { return }
        shadow(front, head, on: canvas)
        let rise = head.point(0, -4, 0) - head.point(0, 0, 0)
        // Above the brim only, and beside the head: the rest of the crown lies behind the forehead.
        let reach = last - first
        let (right, left) = (last + reach, first - reach)
        let above = Outline(polygon: front + [right - rise * 0.1, right + rise, left + rise, left - rise * 0.1])
        let ball = head.point(0.86, -0.40, -0.10)
        let isBallInFront = head.facing(1, 0, 0) > 0.2
        if !isBallInFront { pompon(at: ball, head, on: canvas) }
        let crown = Self.crown(head)
        canvas.clipped(to: above) {
            // Closes the slit that is left where the tip comes to hang close by the rest.
            canvas.stroke(crown, Self.clothShade, width: head.unit.width * 0.03)
            canvas.fill(
                crown,
                from: Self.cloth,
                to: Self.clothShade,
                center: head.point(-0.15, -0.80, 0.3),
                radius: head.unit.width * 1.1
            )
        }
        let fold = (0...12).map { head.point(Self.spine(0.52 + 0.025 * Double($0)) + Vector(-0.04, 0.10, 0.12)) }
        canvas.stroke(Outline(line: fold), Self.clothShade.withAlpha(0.7), width: max(0.75, head.unit.width * 0.02))
        if isBallInFront { pompon(at: ball, head, on: canvas) }
        // A line with round ends is what a ball leaves on its way around the forehead.
        let band = Outline(line: front)
        canvas.stroke(band, Self.furShade, width: head.unit.width * 0.205)
        canvas.stroke(band, Self.fur, width: head.unit.width * 0.175)
    }

    /// The angle by which the half of the ring that is seen begins later than at the head's own side.
    private static func turn(_ head: HeadModel) -> Double {
        atan2(-head.facing(1, 0, 0) * brim.across, max(0.05, head.facing(0, 0, 1)) * brim.along)
    }

    /// Where the middle of the hat runs from the brim (0) to its tip (1), which falls to one side.
    private static func spine(_ share: Double) -> Vector {
        let (near, far, tip) = (Vector(-0.30, -1.22, 0), Vector(0.62, -1.30, 0), Vector(0.84, -0.46, 0))
        return Outline.cubic(share, Vector(0, brim.y, 0), near, far, tip) + Vector(0, 0, brim.z * (1 - share))
    }

    /// The outline of the hat above its brim: rings around its middle, narrower and narrower.
    private static func crown(_ head: HeadModel) -> Outline {
        let steps = 14
        let rings = (0...steps).map { step -> [SurfacePoint] in
            let share = Double(step) / Double(steps)
            let middle = spine(share)
            // The ring lies across the spine, which bends in the plane of x and y; heights count as widths here.
            let way = spine(min(1, share + 0.02)) - spine(max(0, share - 0.02))
            let length = max(1e-9, (way.x * way.x + way.y * way.y).squareRoot())
            let across = share < 0.05 ? Vector(1, 0, 0) : Vector(-way.y, way.x, 0) / length
            let narrow = pow(1 - share, 0.75)
            let (reach, depth) = (0.05 + 0.54 * narrow, 0.05 + 0.62 * narrow)
            return (0..<20).map { piece in
                let angle = 2 * Double.pi * Double(piece) / 20
                let z = sin(angle) * depth
                return head.point(middle + across * (cos(angle) * reach) + Vector(0, brimTilt * z * (1 - share), z))
            }
        }
        // The area that a ring covers on its way through all its places.
        return Outline(polygons: zip(rings, rings.dropFirst()).map { Outline.hull($0 + $1) })
    }

    /// What the brim takes of the light on the forehead, in three layers so that its edge is soft.
    private func shadow(_ front: [SurfacePoint], _ head: HeadModel, on canvas: Canvas) {
        let down = head.point(0, 0.08, 0) - head.point(0, 0, 0)
        for layer in [0.6, 0.8, 1.0] {
            let moved = Outline(line: front.dropFirst(3).dropLast(3).map { $0 + down * layer })
            canvas.stroke(moved, .black.withAlpha(0.09), width: head.unit.width * 0.17)
        }
    }

    private func pompon(at point: SurfacePoint, _ head: HeadModel, on canvas: Canvas) {
        let radius = head.unit.width * 0.14
        var ball = Outline()
        ball.addEllipse(x: point.x, y: point.y, radiusX: radius, radiusY: radius)
        canvas.fill(
            ball,
            from: Self.fur,
            to: Self.furShade,
            center: point - radius * 0.3,
            radius: radius * 1.6
        )
    }

    // MARK: - Beard and moustache

    private func beard(_ head: HeadModel, on canvas: Canvas) {
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
        canvas.fill(head.front(beard), Self.furShade)
        canvas.fill(head.front(scaledAboutMouth(beard, 0.95)), Self.fur)
        for x in [-0.26, -0.13, 0.0, 0.13, 0.26] {
            var strand = Outline()
            strand.move(to: x, 0.22)
            strand.curve(to: x * 0.75, 0.60 - abs(x) * 0.35, control1: (x * 1.25, 0.34), control2: (x * 1.1, 0.46))
            canvas.stroke(head.front(strand), Self.furShade, width: max(0.75, 0.012 * head.unit.width))
        }
    }

    private func scaledAboutMouth(_ outline: Outline, _ factor: Double) -> Outline {
        outline.mapped { SurfacePoint(x: $0.x * factor, y: 0.055 + ($0.y - 0.055) * factor) }
    }

    private func moustache(_ head: HeadModel, lift: Double, on canvas: Canvas) {
        let tip = -0.02 - 0.05 * lift
        for side in [-1.0, 1.0] {
            var wing = Outline()
            wing.move(to: 0, -0.125)
            wing.curve(to: side * 0.36, tip, control1: (side * 0.14, -0.17), control2: (side * 0.27, -0.09))
            wing.curve(to: side * 0.12, 0.0, control1: (side * 0.30, 0.05), control2: (side * 0.19, 0.045))
            wing.curve(to: 0, -0.045, control1: (side * 0.06, -0.02), control2: (side * 0.03, -0.035))
            wing.close()
            let placed = head.front(wing, lift: 0.03)
            canvas.stroke(placed, Self.furShade, width: max(0.75, 0.014 * head.unit.width))
            let middle = head.front(side * 0.1, CanonicalFace.mouthY - 0.1, lift: 0.03)
            canvas.fill(placed, from: .white, to: Self.furShade, center: middle, radius: 0.5 * head.unit.width)
        }
    }
}

extension HeadModel {
    fileprivate func point(_ position: Vector) -> SurfacePoint { point(position.x, position.y, position.z) }

    /// An outline on the curved front, around the mouth: x in shares of the width, y of the height.
    fileprivate func front(_ outline: Outline, lift: Double = 0) -> Outline {
        outline.mapped { front($0.x, CanonicalFace.mouthY + $0.y, lift: lift) }
    }
}
