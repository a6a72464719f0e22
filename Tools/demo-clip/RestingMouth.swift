import FaceInference
import Glibc

/// Turns the portrait's mouth into a resting one: narrower, the corners lower, the lips closed.
///
/// Portraits smile. So the smile of the clip is the portrait itself, and what is made up is the face at rest.
struct RestingMouth {
    /// The mouth's width at rest in distances of the outer eye corners: the mean of resting faces (GENKI-4K) is 0.55.
    static let width = 0.56
    /// How far the corners lie above the middle of the inner lips at rest, in the same unit.
    static let lift = -0.012

    /// The part of the picture where the warp is not 0: the mouth and its surroundings.
    let area: Area
    /// What must be added to a position in the narrowed mouth to get the one in the portrait, for each pixel of the
    /// area.
    private var offsets: [(x: Float, y: Float)]
    private let smiling: Lips
    private let narrowed: Lips

    /// Works the warp out for a face.
    init(_ landmarks: [PixelLandmark], eyeDistance: Double) throws {
        let points = landmarks.map { Point(x: Double($0.x), y: Double($0.y)) }
        let frame = MouthFrame(points, eyeDistance: eyeDistance)
        var moved = points
        for index in Lips.indices { moved[index] = frame.narrowed(points[index]) }
        let anchors = Lips.indices + Self.pinned
        let values = anchors.map { (x: points[$0].x - moved[$0].x, y: points[$0].y - moved[$0].y) }
        guard let spline = ThinPlateSpline(points: anchors.map { (moved[$0].x, moved[$0].y) }, values: values) else {
            throw Portrait.Problem(
                description: "the face in the portrait is too small or turned too far to be animated."
            )
        }
        let reach = 0.62 * eyeDistance
        area = Area(around: (frame.centre.x, frame.centre.y), reachX: reach, reachY: reach)
        offsets = []
        offsets.reserveCapacity(area.width * area.height)
        for y in area.rows {
            for x in area.columns {
                let value = spline(Double(x), Double(y))
                let far = max(abs(Double(x) - frame.centre.x), abs(Double(y) - frame.centre.y)) / reach
                let share = smooth((1 - far) / 0.3)
                offsets.append((Float(value.x * share), Float(value.y * share)))
            }
        }
        smiling = Lips(points, margin: 0.2 * eyeDistance)
        narrowed = Lips(moved, margin: 0.2 * eyeDistance)
    }

    /// The mouth for a smile between 0, at rest, and 1, as in the portrait.
    func shape(smile: Float) -> Shape {
        Shape(
            mouth: self,
            lips: narrowed.mixed(with: smiling, share: Double(smile)).closed(1 - Double(smile)),
            strength: 1 - smile
        )
    }

    /// The mouth in one expression.
    struct Shape {
        fileprivate let mouth: RestingMouth
        fileprivate let lips: Lips.Closing
        fileprivate let strength: Float

        /// The position in the portrait that is seen at a pixel of the area, and how bright it is, 1 for as it was.
        func source(_ x: Int, _ y: Int) -> (x: Float, y: Float, brightness: Float) {
            let area = mouth.area
            let opened = lips.open(Double(x), Double(y))
            // The offset changes slowly; the nearest row is near enough below a pixel's interpolation.
            let row = min(max(Int(opened.y.rounded()), area.top), area.top + area.height - 1)
            let offset = mouth.offsets[(row - area.top) * area.width + x - area.left]
            return (
                Float(x) + offset.x * strength, Float(opened.y) + offset.y * strength,
                1 - 0.45 * strength * Float(opened.shade)
            )
        }
    }

    /// What stays where it is: the face's outline, the lower lids, the nose; numbers of the MediaPipe face mesh.
    private static let pinned = [
        10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149,
        150,
        136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109, 33, 133, 362, 263, 145, 374, 111, 340, 1, 4, 5, 6,
        98,
        327, 64, 294, 2,
    ]
}

/// A position in pixels.
struct Point {
    var x: Double
    var y: Double
}

/// The mouth's own axes: along the line between the corners, and down.
struct MouthFrame {
    /// The middle between the corners.
    let centre: Point
    private let along: Point
    private let halfWidth: Double
    private let scale: Double
    /// How far the corners go down, in pixels.
    private let drop: Double

    init(_ points: [Point], eyeDistance: Double) {
        let left = points[61]
        let right = points[291]
        centre = Point(x: (left.x + right.x) / 2, y: (left.y + right.y) / 2)
        let (dx, dy) = (right.x - left.x, right.y - left.y)
        let width = (dx * dx + dy * dy).squareRoot()
        let along = Point(x: dx / width, y: dy / width)
        self.along = along
        halfWidth = width / 2
        scale = min(1, RestingMouth.width * eyeDistance / width)
        let meeting = Point(
            x: points[13].x + Lips.meeting * (points[14].x - points[13].x),
            y: points[13].y + Lips.meeting * (points[14].y - points[13].y)
        )
        let below = (meeting.x - centre.x) * -along.y + (meeting.y - centre.y) * along.x
        drop = max(0, below - RestingMouth.lift * eyeDistance)
    }

    /// The new position of a point: nearer to the middle, and the lower the nearer it is to a corner.
    func narrowed(_ point: Point) -> Point {
        let across = (point.x - centre.x) * along.x + (point.y - centre.y) * along.y
        let share = min(1, abs(across) / halfWidth)
        let down = (point.x - centre.x) * -along.y + (point.y - centre.y) * along.x + drop * share * share
        return Point(
            x: centre.x + scale * across * along.x - down * along.y,
            y: centre.y + scale * across * along.y + down * along.x
        )
    }
}

/// A rectangle of pixels.
struct Area {
    let left: Int
    let top: Int
    let width: Int
    let height: Int

    init(around centre: (x: Double, y: Double), reachX: Double, reachY: Double) {
        left = Int(centre.x - reachX)
        top = Int(centre.y - reachY)
        width = Int(2 * reachX) + 1
        height = Int(2 * reachY) + 1
    }

    var columns: Range<Int> { left..<left + width }
    var rows: Range<Int> { top..<top + height }
}
