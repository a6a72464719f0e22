import Frames
import MediaFiles
import ToolPictures

/// The person of the portrait, whose mouth and eyes can be moved.
struct Actor {
    /// What the face does: both 0…1.
    struct Expression: Hashable {
        var smile: Float = 0
        var closing: Float = 0
    }

    /// The person as it looks now.
    private(set) var picture: RGBPicture
    private let original: RGBPicture
    private let mouth: RestingMouth
    private let lids: [Eyelid]
    private var shown: Expression?

    init(_ portrait: Portrait) throws {
        original = portrait.picture
        picture = portrait.picture
        mouth = try RestingMouth(portrait.landmarks, eyeDistance: Portrait.eyeDistance)
        lids = [Eyelid(portrait.landmarks, Eyelid.left), Eyelid(portrait.landmarks, Eyelid.right)]
    }

    /// Draws another expression; nothing is done if it is shown already.
    mutating func show(_ expression: Expression) {
        guard expression != shown else { return }
        shown = expression
        let shape = mouth.shape(smile: expression.smile)
        draw(mouth.area) { x, y in shape.source(x, y) }
        for lid in lids {
            draw(lid.area) { x, y in (Float(x), lid.sourceRow(x, y, closing: expression.closing), 1) }
        }
    }

    /// Fills an area with what the portrait has at the positions that `source` names, interpolated.
    private mutating func draw(_ area: Area, source: (Int, Int) -> (x: Float, y: Float, brightness: Float)) {
        let width = picture.size.width
        let (right, bottom) = (Float(width - 1), Float(picture.size.height - 1))
        original.bytes.withUnsafeBufferPointer { from in
            picture.bytes.withUnsafeMutableBufferPointer { to in
                for y in area.rows.clamped(to: 0..<Int(bottom) + 1) {
                    for x in area.columns.clamped(to: 0..<width) {
                        let position = source(x, y)
                        let (px, py) = (min(max(position.x, 0), right), min(max(position.y, 0), bottom))
                        let (left, top) = (min(Int(px), width - 2), min(Int(py), Int(bottom) - 1))
                        let (u, v) = (px - Float(left), py - Float(top))
                        let place = (top * width + left) * 3
                        for channel in 0..<3 {
                            let corner = place + channel
                            let upper = Float(from[corner]) * (1 - u) + Float(from[corner + 3]) * u
                            let lower =
                                Float(from[corner + 3 * width]) * (1 - u) + Float(from[corner + 3 * width + 3]) * u
                            to[(y * width + x) * 3 + channel] = UInt8(
                                (upper * (1 - v) + lower * v) * position.brightness + 0.5
                            )
                        }
                    }
                }
            }
        }
    }
}
