import FaceMetadata
import Foundation
import Frames

/// A head made of ellipsoids, and the face that the daemon would report of it: every pose, exactly known.
struct HeadFigure {
    var pose = HeadPose(roll: 0, yaw: 0, pitch: 0)
    /// The width of its face in pixels.
    var width = 100.0
    /// The middle of its face in the picture, in pixels.
    var center = SIMD2(200.0, 200.0)
    /// How far its mouth is open, 0…1.
    var mouthOpen = 0.0
    var eyesClosed = false
    /// Whether a smile is reported of it; its mouth stays as it is.
    var smiling = false

    private typealias Vector = SIMD3<Double>

    /// A part of the head: positions and radii in widths of the face, to its right, down and out of its nose.
    private struct Part {
        var middle: Vector
        var radii: Vector
        var color: Vector
    }

    /// How far the jaw of an open mouth falls, in widths of the face.
    private var drop: Double { 0.38 * mouthOpen }

    private var parts: [Part] {
        let skin = Vector(0.87, 0.68, 0.56)
        let hair = Vector(0.24, 0.17, 0.13)
        let lip = Vector(0.72, 0.36, 0.34)
        let white = Vector(0.95, 0.95, 0.95)
        let dark = Vector(0.15, 0.12, 0.12)
        func pair(_ x: Double, _ y: Double, _ z: Double, _ radii: Vector, _ color: Vector) -> [Part] {
            [-x, x].map { Part(middle: Vector($0, y, z), radii: radii, color: color) }
        }
        return [
            Part(middle: Vector(0, -0.22, -0.16), radii: Vector(0.53, 0.66, 0.62), color: skin),
            Part(middle: Vector(0, 0.12 + drop / 2, 0.06), radii: Vector(0.47, 0.48 + drop / 2, 0.40), color: skin),
            Part(middle: Vector(0, -0.30, -0.26), radii: Vector(0.58, 0.68, 0.62), color: hair),
            Part(middle: Vector(0, 0.72, -0.25), radii: Vector(0.30, 0.70, 0.30), color: skin),
            Part(middle: Vector(0, 1.6, -0.35), radii: Vector(1.05, 0.70, 0.42), color: Vector(0.32, 0.38, 0.50)),
            Part(middle: Vector(0, 0.02, 0.44), radii: Vector(0.06, 0.17, 0.10), color: skin),
            Part(middle: Vector(0, 0.08, 0.50), radii: Vector(0.10, 0.07, 0.09), color: skin),
            Part(middle: Vector(0, 0.235 + drop / 2, 0.40), radii: Vector(0.17, 0.035 + drop * 0.55, 0.07), color: lip),
            Part(middle: Vector(0, 0.235 + drop / 2, 0.44), radii: Vector(0.14, 0.006 + drop / 2, 0.04), color: dark),
        ] + pair(0.56, -0.05, -0.12, Vector(0.06, 0.18, 0.12), skin)
            + pair(0.205, -0.22, 0.36, Vector(0.09, 0.05, 0.06), eyesClosed ? skin : white)
            + pair(0.205, -0.22, 0.41, Vector(eyesClosed ? 0.08 : 0.035, eyesClosed ? 0.008 : 0.035, 0.03), dark)
            + pair(0.21, -0.33, 0.38, Vector(0.11, 0.018, 0.05), hair)
    }

    /// The directions to the head's right, to its chin and out of its nose, in the picture's axes; the third points to
    /// the viewer.
    private var axes: (right: Vector, down: Vector, out: Vector) {
        func sinCos(_ degrees: Double) -> (Double, Double) { (sin(degrees * .pi / 180), cos(degrees * .pi / 180)) }
        let ((sy, cy), (sp, cp), (sr, cr)) = (sinCos(pose.yaw ?? 0), sinCos(pose.pitch ?? 0), sinCos(pose.roll))
        let across = Vector(cy, 0, -sy)
        let below = Vector(sy * sp, cp, cy * sp)
        return (across * cr + below * sr, below * cr - across * sr, Vector(sy * cp, -sp, cy * cp))
    }

    /// What is reported of it in a picture of that size.
    func face(_ number: Int, in size: FrameSize) -> FaceObject {
        let axes = axes
        func place(_ x: Double, _ y: Double, _ z: Double) -> NormalizedPoint {
            let turned = axes.right * x + axes.down * y + axes.out * z
            return NormalizedPoint(
                x: (center.x + width * turned.x) / Double(size.width),
                y: (center.y + width * turned.y) / Double(size.height)
            )
        }
        // The rim of the face and its nose, as the landmarks have them.
        let rim = (0..<48).map { step -> NormalizedPoint in
            let angle = Double(step) * .pi / 24
            let y = sin(angle) * 0.58
            return place(cos(angle) * 0.5, y > 0 ? y * (1 + drop / 0.58) : y, 0.06 + 0.2 * abs(sin(angle)))
        }
        let points = rim + [place(0, 0.08, 0.58)]
        let xs = points.map(\.x)
        let ys = points.map(\.y)
        let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
        let bounds = NormalizedRect(x: left, y: top, width: (xs.max() ?? 0) - left, height: (ys.max() ?? 0) - top)
        var face = FaceObject(faceID: FaceID(rawValue: number), bounds: bounds, pose: pose, confidence: 1)
        (face.leftEye, face.rightEye) = (place(-0.205, -0.22, 0.42), place(0.205, -0.22, 0.42))
        (face.mouth, face.mouthOpen) = (place(0, 0.235 + drop / 2, 0.45), mouthOpen)
        (face.leftEyeClosed, face.rightEyeClosed) = (eyesClosed, eyesClosed)
        (face.smile, face.smiling) = (smiling ? 0.9 : 0.1, smiling)
        return face
    }

    /// The figures before a plain wall, lit from above: rows of B, G, R, A.
    static func picture(of figures: [HeadFigure], _ size: FrameSize) -> [UInt8] {
        var pixels = (0..<size.width * size.height).flatMap { place -> [UInt8] in
            let shade = UInt8(206 - 60 * (place / size.width) / size.height)
            return [shade, shade, shade - 8, 255]
        }
        for figure in figures.sorted(by: { $0.width < $1.width }) { figure.draw(on: &pixels, size) }
        return pixels
    }

    private func draw(on pixels: inout [UInt8], _ size: FrameSize) {
        let axes = axes
        let parts = parts
        let light = Vector(-0.35, -0.65, 0.67)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let ray = (Double(x) + 0.5 - center.x, Double(y) + 0.5 - center.y)
                guard abs(ray.0) < 2 * width, ray.1 > -1.5 * width else { continue }
                let origin = Vector(ray.0, ray.1, 0) / width
                let start = Vector((origin * axes.right).sum(), (origin * axes.down).sum(), (origin * axes.out).sum())
                let way = Vector(axes.right.z, axes.down.z, axes.out.z)
                var nearest: (depth: Double, color: Vector)?
                for part in parts {
                    let from = (start - part.middle) / part.radii
                    let along = way / part.radii
                    let (a, b, c) = ((along * along).sum(), (from * along).sum(), (from * from).sum() - 1)
                    guard b * b > a * c else { continue }
                    let depth = (-b + (b * b - a * c).squareRoot()) / a
                    // The hair begins above the forehead.
                    let hit = start + way * depth
                    if part.color.x < 0.3, part.radii.x > 0.5, hit.z > 0.02, hit.y > -0.52 { continue }
                    guard depth > nearest?.depth ?? -.infinity else { continue }
                    let normal = (hit - part.middle) / (part.radii * part.radii)
                    let seen = axes.right * normal.x + axes.down * normal.y + axes.out * normal.z
                    let lit = max(0, (seen * light).sum() / (seen * seen).sum().squareRoot())
                    nearest = (depth, part.color * (0.55 + 0.5 * lit))
                }
                guard let color = nearest?.color else { continue }
                let place = 4 * (y * size.width + x)
                for (channel, value) in [color.z, color.y, color.x].enumerated() {
                    pixels[place + channel] = UInt8(min(255, max(0, value * 255)))
                }
            }
        }
    }
}
