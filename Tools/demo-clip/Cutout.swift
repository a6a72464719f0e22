import Frames
import MediaFiles
import ToolPictures

/// The part of a portrait around the person, scaled; all lengths follow from the distance of the eyes.
struct Cutout {
    private(set) var picture: RGBPicture
    /// The face's centre in the cut-out.
    private let centre: (x: Double, y: Double)
    private let eyeDistance: Double

    /// How far from the face's centre the picture is kept and where it has faded, in eye distances: hair and shoulders
    /// lie inside, what is beside a person mostly outside.
    private static let kept = 1.45
    private static let faded = 2.05
    private static let below = 4.6
    private static let above = 2.2

    /// Cuts out and scales by `scale`; `eyeDistance` is the one after scaling.
    init(_ source: RGBPicture, around face: (x: Double, y: Double), eyeDistance: Double, scale: Double) {
        let middle = (x: face.x * scale, y: face.y * scale)
        let left = max(0, middle.x - Self.faded * eyeDistance)
        let top = max(0, middle.y - Self.above * eyeDistance)
        let right = min(Double(source.size.width) * scale, middle.x + Self.faded * eyeDistance)
        let bottom = min(Double(source.size.height) * scale, middle.y + Self.below * eyeDistance)
        let size = FrameSize(width: Int(right - left), height: Int(bottom - top))
        picture = Resampler(source).scaled(by: scale, left: left, top: top, size: size)
        centre = (middle.x - left, middle.y - top)
        self.eyeDistance = eyeDistance
    }

    /// The mean colour beside the head, where the picture begins to fade.
    func backgroundColour() -> (red: UInt8, green: UInt8, blue: UInt8) {
        var sums = [0, 0, 0]
        var count = 0
        let beside = (Self.kept - 0.1)...(Self.kept + 0.3)
        for y in (0..<Int(centre.y + 0.3 * eyeDistance)).clamped(to: 0..<picture.size.height) {
            for x in 0..<picture.size.width where beside.contains(abs(Double(x) - centre.x) / eyeDistance) {
                let place = (y * picture.size.width + x) * 3
                for channel in 0..<3 { sums[channel] += Int(picture.bytes[place + channel]) }
                count += 1
            }
        }
        guard count > 0 else { return (128, 128, 128) }
        return (UInt8(sums[0] / count), UInt8(sums[1] / count), UInt8(sums[2] / count))
    }

    /// Lets everything beside the person go over into the wall.
    mutating func fade(into wall: (red: UInt8, green: UInt8, blue: UInt8)) {
        let colours = [Double(wall.red), Double(wall.green), Double(wall.blue)]
        let topFade = 0.15 * eyeDistance
        for y in 0..<picture.size.height {
            let fromTop = min(1, Double(y) / topFade)
            for x in 0..<picture.size.width {
                let beside = abs(Double(x) - centre.x) / eyeDistance
                let share = min(smooth((Self.faded - beside) / (Self.faded - Self.kept)), smooth(fromTop))
                guard share < 1 else { continue }
                let place = (y * picture.size.width + x) * 3
                for channel in 0..<3 {
                    let own = Double(picture.bytes[place + channel])
                    picture.bytes[place + channel] = UInt8(colours[channel] + (own - colours[channel]) * share)
                }
            }
        }
    }
}

/// Goes from 0 to 1 without a bend at either end; held there outside.
func smooth(_ value: Double) -> Double {
    let share = min(1, max(0, value))
    return share * share * (3 - 2 * share)
}
