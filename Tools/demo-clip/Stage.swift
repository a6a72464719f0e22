import Frames
import Glibc
import MediaFiles
import ToolPictures

/// Draws the person in front of the wall, with the noise of a camera.
struct Stage {
    static let size = FrameSize(width: 640, height: 480)
    /// Up to this share of the way out of the picture the whole face is inside.
    static let shareInside = 0.36
    /// The way from the picture's middle to out of it, in pixels.
    private static let wayOut = 580.0
    /// The row of the face's centre, as a share of the picture's height.
    private static let faceRow = 0.47
    /// The person turns about a point below the face, as one who leans the head: in eye distances.
    private static let pivotBelow = 1.6

    /// The frame drawn last: R, G, B.
    private(set) var pixels: [UInt8]
    private let wall: [UInt8]
    private let faceCentre: (x: Double, y: Double)
    private let ownRoll: Double
    private var noise: SensorNoise

    init(_ portrait: Portrait) {
        faceCentre = portrait.centre
        ownRoll = portrait.roll
        let colour = [portrait.wall.red, portrait.wall.green, portrait.wall.blue]
        wall = (0..<Self.size.width * Self.size.height).flatMap { _ in colour }
        pixels = wall
        noise = SensorNoise()
    }

    /// Draws a frame.
    mutating func draw(_ person: RGBPicture, _ pose: Script.Pose) {
        pixels = wall
        drawPerson(person, pose)
        noise.add(to: &pixels)
    }

    private mutating func drawPerson(_ person: RGBPicture, _ pose: Script.Pose) {
        // From the frame to the person's picture, in 1/65536 pixels: the turn back about the pivot.
        let angle = (pose.roll - ownRoll) * .pi / 180
        let (cosine, sine) = (cos(angle), sin(angle))
        let pivot = (x: faceCentre.x, y: faceCentre.y + Self.pivotBelow * Portrait.eyeDistance)
        let placed = (
            x: Double(Self.size.width) / 2 + pose.place * Self.wayOut,
            y: Self.faceRow * Double(Self.size.height) + Self.pivotBelow * Portrait.eyeDistance
        )
        let one = 65536.0
        let (width, height) = (person.size.width, person.size.height)
        let (stepX, stepY) = (Int(cosine * one), Int(-sine * one))
        person.bytes.withUnsafeBufferPointer { from in
            pixels.withUnsafeMutableBufferPointer { to in
                guard let from = from.baseAddress, var place = to.baseAddress else { return }
                for y in 0..<Self.size.height {
                    let (dx, dy) = (-placed.x, Double(y) - placed.y)
                    var x0 = Int((pivot.x + cosine * dx + sine * dy) * one)
                    var y0 = Int((pivot.y - sine * dx + cosine * dy) * one)
                    for _ in 0..<Self.size.width {
                        let (left, top) = (x0 >> 16, y0 >> 16)
                        if left >= 0, top >= 0, left < width - 1, top < height - 1 {
                            let corner = from + (top * width + left) * 3
                            Self.blend(corner, corner + width * 3, (x0 >> 8) & 255, (y0 >> 8) & 255, into: place)
                        }
                        x0 += stepX
                        y0 += stepY
                        place += 3
                    }
                }
            }
        }
    }

    /// Mixes two pixels of a row and the two below them, by shares of 256. Written out: the demo may run unoptimised.
    private static func blend(
        _ above: UnsafePointer<UInt8>,
        _ below: UnsafePointer<UInt8>,
        _ u: Int,
        _ v: Int,
        into place: UnsafeMutablePointer<UInt8>
    ) {
        let u0 = 256 - u
        let v0 = 256 - v
        let topLeft = u0 * v0
        let topRight = u * v0
        let bottomLeft = u0 * v
        let bottomRight = u * v
        let red =
            Int(above[0]) * topLeft + Int(above[3]) * topRight + Int(below[0]) * bottomLeft + Int(below[3])
            * bottomRight
        let green =
            Int(above[1]) * topLeft + Int(above[4]) * topRight + Int(below[1]) * bottomLeft + Int(below[4])
            * bottomRight
        let blue =
            Int(above[2]) * topLeft + Int(above[5]) * topRight + Int(below[2]) * bottomLeft + Int(below[5])
            * bottomRight
        place[0] = UInt8(truncatingIfNeeded: red >> 16)
        place[1] = UInt8(truncatingIfNeeded: green >> 16)
        place[2] = UInt8(truncatingIfNeeded: blue >> 16)
    }
}

/// The noise of a webcam's sensor, the same in every run.
struct SensorNoise {
    /// The standard deviation of the noise, in steps of brightness; webcams indoors have 1 to 3.
    private static let deviation = 1.6
    private let table: [Int16]
    private var generator = Generator(state: 0x5EED)

    /// A linear congruential generator (Knuth's MMIX constants).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // The low bits of such a generator are poor.
            return state >> 32 | state << 32
        }
    }

    init() {
        var generator = generator
        // The sum of twelve even distributions is near enough to a normal one.
        table = (0..<65536).map { _ in
            let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
            return Int16(min(max((sum - 6) * Self.deviation, -Double(Self.reach)), Double(Self.reach)).rounded())
        }
        self.generator = generator
    }

    /// Adds other noise to each frame.
    mutating func add(to pixels: inout [UInt8]) {
        var index = Int(generator.next() & 65535)
        table.withUnsafeBufferPointer { table in
            Self.limited.withUnsafeBufferPointer { limited in
                pixels.withUnsafeMutableBufferPointer { pixels in
                    guard let table = table.baseAddress, let limited = limited.baseAddress else { return }
                    guard var pixel = pixels.baseAddress else { return }
                    let end = pixel + pixels.count
                    while pixel < end {
                        let shifted = limited + (Self.reach + Int(table[index]))
                        pixel[0] = shifted[Int(pixel[0])]
                        pixel[1] = shifted[Int(pixel[1])]
                        pixel[2] = shifted[Int(pixel[2])]
                        pixel += 3
                        // An odd step, so that rows do not repeat.
                        index = (index + 40503) & 65535
                    }
                }
            }
        }
    }

    /// No noise is larger: six deviations.
    private static let reach = 10
    /// 0…255 with the ends repeated, to look up instead of comparing.
    private static let limited = (-reach...255 + reach).map { UInt8(clamping: $0) }
}
