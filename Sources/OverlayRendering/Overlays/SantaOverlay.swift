/// Draws a hat, a moustache and a beard, which turn with the head in three dimensions and are partly hidden by it.
struct SantaOverlay: Overlay {
    private static let fur = Color(red: 1, green: 1, blue: 0.99)
    private static let furShade = Color(red: 0.74, green: 0.77, blue: 0.83)
    private static let furGround = Color(red: 0.86, green: 0.88, blue: 0.92)
    private static let cloth = Color(red: 0.89, green: 0.12, blue: 0.14)
    private static let clothShade = Color(red: 0.47, green: 0.02, blue: 0.06)

    func draw(_ faces: [SurfaceFace], snapshotFlash: Double, on canvas: Canvas) {
        for face in faces {
            beard(face, on: canvas)
            hat(face.headAtEyes, falling: Self.side(of: face, among: faces), on: canvas)
        }
    }

    /// Draws a disc that fades towards its edge, by filling a square with a gradient. Many discs make a soft shadow.
    private func glow(_ color: Color, at point: SurfacePoint, radius: Double, on canvas: Canvas) {
        let square = SurfaceRect(center: point, size: SurfaceSize(repeating: 2 * radius))
        canvas.fill(Outline(square), from: color, to: color.withAlpha(0), center: point, radius: radius)
    }

    /// The brim of the hat: the height and depth of its middle, and its half-widths across and along the skull.
    private static let brim = (y: -0.42, z: -0.20, across: 0.58, along: 0.68)
    /// The slope of the brim, which is higher over the forehead: change of y, in face heights, per face width of z.
    private static let brimTilt = -0.10
    /// The relative differences in size between tufts of fur.
    private static let raggedness = [0.0, -0.10, 0.09, -0.06, 0.12, -0.12, 0.05]

    /// Returns where the hat's tip falls, away from other faces: 1 for the picture's right side, −1 left, 0 back.
    static func side(of face: SurfaceFace, among others: [SurfaceFace]) -> Double {
        let right = HeadRotation(HeadPose(roll: face.assumedPose.roll)).right
        var onLeft = 0.0
        var onRight = 0.0
        for other in others where other != face {
            let way = (other.bounds.center - face.bounds.center) / face.uprightSize.width
            let across = way.x * right.x + way.y * right.y
            // A neighbour counts fully within 1.5 face widths, not beyond 2.5, and less if it is above or below.
            let nearness = max(0, min(1, 2.5 - way.length)) * min(1, abs(across))
            if across < 0 { onLeft = max(onLeft, nearness) } else { onRight = max(onRight, nearness) }
        }
        return 1 - onRight * (2 - onLeft)
    }

    private func hat(_ head: HeadModel, falling side: Double, on canvas: Canvas) {
        let unit = head.unit.width
        func ring(_ angle: Double) -> SurfacePoint {
            let z = sin(angle) * Self.brim.along
            return head.point(cos(angle) * Self.brim.across, Self.brim.y + Self.brimTilt * z, Self.brim.z + z)
        }
        // The half of the brim that faces the viewer, from where it turns away on one side of the head to the other.
        let turn = atan2(-head.facing(1, 0, 0) * Self.brim.across, max(0.05, head.facing(0, 0, 1)) * Self.brim.along)
        let front = (0...24).map { ring(.pi * Double($0) / 24 + turn) }
        guard let first = front.first, let last = front.last else { return }
        let back = -(1 - side * side).squareRoot()
        /// Returns the point at height `above` over the brim, and `aside` from its middle towards the side of the tip.
        func place(_ above: Double, _ aside: Double) -> SurfacePoint {
            head.point(aside * side, Self.brim.y - above, Self.brim.z + aside * back)
        }
        let rise = head.point(0, -1, 0) - head.point(0, 0, 0)
        let up = rise / max(1e-9, rise.length)
        // The shadow of the brim on the forehead.
        for index in stride(from: 4, through: 20, by: 2) {
            glow(.black.withAlpha(0.19), at: front[index] - up * (0.10 * unit), radius: 0.17 * unit, on: canvas)
        }
        // The tail of the hat, which runs from inside the crown to the tip and becomes narrower.
        let tail = (0...10).map { step -> (SurfacePoint, Double) in
            let share = Double(step) / 10
            let way = Outline.cubic(share, from: [0.44, 0.10], ([-0.02, 0.80], [0.90, 0.14], [0.84, 0.94]))
            return (place(way.x, way.y), (0.07 + 0.29 * pow(1 - share, 0.9)) * unit)
        }
        let discs = tail.map { Outline.circle($0.0, $0.1) }
        let tailShape = Outline(lines: zip(discs, discs.dropFirst()).map { Outline.hull($0 + $1) })
        let crownDiscs = [
            (0.20, 0, 0.52), (0.34, 0.02, 0.46), (0.46, 0.06, 0.38), (0.30, 0.38, 0.34), (0.04, 0.48, 0.29),
        ].flatMap { above, aside, radius in Outline.circle(place(above, aside), radius * unit) }
        let crown = Outline(polygon: Outline.hull((0..<32).map { ring(.pi * Double($0) / 16) } + crownDiscs))
        // The visible part of the hat is above the brim and beside the head. The rest lies behind the forehead.
        let reach = last - first
        func visible(_ beside: SurfacePoint) -> Outline {
            let right = last + beside
            let left = first + beside
            let above = [last + reach + rise * 4, first - reach + rise * 4]
            return Outline(polygon: front + [right, right + reach] + above + [left - reach, left])
        }
        let light = head.point(-0.25, -0.85, 0.3)
        let isTailInFront = head.facing(side, 0, back) > -0.25
        func drawTail() {
            canvas.clipped(to: visible(rise * -2)) {
                canvas.fill(tailShape, from: Self.cloth, to: Self.clothShade, center: light, radius: unit * 1.35)
                if !isTailInFront { drawTip() }
            }
            if isTailInFront { drawTip() }
        }
        func drawTip() {
            let ball = place(-0.10, 0.81)
            let edge = Outline.circle(ball, 0.085 * unit).enumerated().filter { $0.offset.isMultiple(of: 3) }
            fluff(edge.map(\.element) + [ball], radius: 0.07 * unit, up: up, on: canvas)
        }
        if !isTailInFront { drawTail() }
        canvas.clipped(to: visible(rise * -0.13)) {
            canvas.fill(crown, from: Self.cloth, to: Self.clothShade, center: light, radius: unit * 1.35)
        }
        if isTailInFront {
            // The tail's shadow on the crown, weaker if the head is seen from below. Nested clips would cost far more.
            let shade = Self.clothShade.withAlpha(0.6 * max(0, 1 - 2 * max(0, head.facing(0, 1, 0))))
            canvas.clipped(to: crown) {
                for (point, radius) in [3, 5, 7, 9].map({ tail[$0] }) {
                    let inner = point - up * (0.08 * unit) - (place(0, 0.14) - place(0, 0))
                    glow(shade, at: inner, radius: radius + 0.12 * unit, on: canvas)
                }
            }
            drawTail()
        }
        // Folds where the cloth bends down: thin leaves that begin at the same point.
        for (above, aside) in [(0.76, 0.24), (0.62, 0.16), (0.46, 0.18)] where isTailInFront {
            let fold = Outline.leaf(halfWidth: [0.012, 0]) { share in
                let bulge = 0.04 * sin(.pi * share)
                return [0.54 + (above - 0.54) * share + bulge, 0.50 + (aside - 0.50) * share]
            }
            canvas.fill(Outline(polygon: fold.map { place($0.x, $0.y) }), Self.clothShade.withAlpha(0.45))
        }
        let fur = front.enumerated().flatMap { index, point in
            [0.045, -0.045].map { point + up * (($0 + Self.raggedness[(3 * index) % 7] * 0.2) * unit) }
        }
        fluff(fur, radius: 0.075 * unit, up: up, on: canvas)
    }

    /// Draws fur around points: a ragged shape, shaded below and lit from above.
    private func fluff(_ points: [SurfacePoint], radius: Double, up: SurfacePoint, on canvas: Canvas) {
        let tufts = points.indices.map { Outline.circle(points[$0], radius * (1 + Self.raggedness[$0 % 7])) }
        canvas.fill(Outline(lines: tufts), Self.furGround, overlaps: true)
        for point in points { glow(Self.fur, at: point + up * (radius * 0.12), radius: radius * 0.95, on: canvas) }
    }

    /// The outline of the beard relative to the mouth: x in face widths, y in face heights.
    private static let beardShape: Outline = {
        let hem: [SurfacePoint] = [[-0.50, 0.30], [-0.43, 0.46], [-0.30, 0.60], [-0.13, 0.70], [0.0, 0.78]]
        let ends = hem + hem.dropLast().reversed().map { $0 * [-1, 1] }
        // Locks hang down from the hem.
        let locks = zip(ends, ends.dropFirst()).map { start, end -> Outline.Curve in
            let way = end - start
            let near = start + way * 0.1 + [-way.y * 0.35, abs(way.x) * 0.55]
            return (end, near, start + way * 0.7 + [-way.y * 0.25, abs(way.x) * 0.45])
        }
        let upper: [Outline.Curve] = [
            ([0.55, -0.36], [0.62, 0.14], [0.64, -0.10]), ([0.30, -0.05], [0.51, -0.18], [0.42, -0.08]),
            ([-0.30, -0.05], [0.14, -0.02], [-0.14, -0.02]), ([-0.55, -0.36], [-0.42, -0.08], [-0.51, -0.18]),
        ]
        return Outline(from: [-0.55, -0.36], [([-0.50, 0.30], [-0.64, -0.10], [-0.62, 0.14])] + locks + upper)
    }()

    /// Returns the strands of the beard: thin, wavy leaf shapes that run from its upper part down towards its hem.
    private static func strands(_ count: Int, width: Double, shift: Double) -> Outline {
        let strands = (0..<count).map { number in
            let aside = -1 + 2 * (Double(number) + shift) / Double(count)
            let begin = [0.12, 0.42, 0.25, 0.55][number % 4]
            let length = [0.42, 0.36, 0.5, 0.34][number % 4]
            let upper = SurfacePoint(0.54 * aside, 0.15 - 0.48 * aside * aside)
            let lower = SurfacePoint(0.60 * aside, 0.74 - 0.62 * pow(abs(aside), 2.2))
            let wave = (number.isMultiple(of: 2) ? 0.026 : -0.026) * (1 - 0.7 * aside * aside)
            return Outline.leaf(halfWidth: [width, 0]) { share in
                upper + (lower - upper) * (begin + length * share) + [wave * sin(2 * .pi * share), 0]
            }
        }
        return Outline(lines: strands)
    }

    private static let darkStrands = strands(30, width: 0.010, shift: 0.5)
    private static let lightStrands = strands(30, width: 0.012, shift: 0.02)

    private static let wings = [-1.0, 1].map { side in
        let edge: [Outline.Curve] = [
            ([0.40, -0.055], [0.13, -0.185], [0.25, -0.01]), ([0.13, 0.015], [0.36, 0.06], [0.22, 0.065]),
            ([0, -0.045], [0.07, -0.01], [0.03, -0.03]),
        ]
        return Outline(from: [0, -0.135], edge).mapped { $0 * [side, 1] }
    }

    private static let wingStrands = [-1.0, 1].flatMap { side in
        (0..<4).map { number -> [SurfacePoint] in
            let upper = -0.105 + 0.022 * Double(number)
            let end = 0.33 - 0.045 * Double(number)
            return Outline.leaf(halfWidth: [0, 0.007]) { share in
                [side * (0.03 + (end - 0.03) * share), upper + 0.055 * sin(0.85 * .pi * share)]
            }
        }
    }

    private func beard(_ face: SurfaceFace, on canvas: Canvas) {
        let head = face.headAtMouth
        let gap = face.lipGap
        let unit = head.unit.width
        func front(_ outline: Outline, lift: Double = 0, raised: Double = 0) -> Outline {
            outline.mapped {
                head.front($0.x, CanonicalFace.mouthY + $0.y - raised, lift: lift, lowest: CanonicalFace.mouthY)
            }
        }
        // The mouth stays free.
        let shape = front(Self.beardShape + Outline(ellipse: [0, 0.05], 0.19, 0.066 + gap / 2))
        canvas.stroke(shape, Self.furShade.withAlpha(0.9), width: max(0.75, 0.02 * unit))
        let middle = head.front(-0.05, CanonicalFace.mouthY + 0.12)
        canvas.fill(shape, from: Self.fur, to: Self.furShade, center: middle, radius: 0.95 * unit)
        let shade = Self.furShade.withAlpha(0.85)
        canvas.fill(front(Self.darkStrands), shade, overlaps: true)
        canvas.fill(front(Self.lightStrands), .white, overlaps: true)
        let raised = gap / 2 + 0.04 * face.flash(.smile)
        let light = head.front(0, CanonicalFace.mouthY - 0.14, lift: 0.03)
        for wing in Self.wings {
            let placed = front(wing, lift: 0.03, raised: raised)
            canvas.stroke(placed, Self.furShade, width: max(0.75, 0.02 * unit))
            canvas.fill(placed, from: .white, to: Self.furShade, center: light, radius: 0.9 * unit)
        }
        canvas.fill(front(Outline(lines: Self.wingStrands), lift: 0.03, raised: raised), shade, overlaps: true)
    }
}

extension Outline {
    fileprivate static func circle(_ center: SurfacePoint, _ radius: Double) -> [SurfacePoint] {
        ellipse(center, SurfacePoint(radius, radius), pieces: 24)
    }

    /// Returns the outline of a leaf along the line `way`, which extends `halfWidth` to each side in the leaf's middle.
    fileprivate static func leaf(halfWidth: SurfacePoint, _ way: (_ share: Double) -> SurfacePoint) -> [SurfacePoint] {
        let middle = (0...10).map { way(Double($0) / 10) }
        let half = (0...10).map { halfWidth * sin(.pi * Double($0) / 10) }
        return zip(middle, half).map(+) + zip(middle, half).reversed().map(-)
    }
}
