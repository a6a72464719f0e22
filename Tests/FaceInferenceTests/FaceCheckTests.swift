import FaceMetadata
import Frames
import Testing

@testable import FaceInference

@Suite("The search of single pictures")
struct FaceCheckTests {
    /// A part of a portrait, `visible` of whose face lies inside at the edge that `way` points to, and the face's box
    /// in it.
    private func cut(_ portrait: Portrait, _ way: SIMD2<Float>, visible: Float, width: Float) throws -> (
        Frame, SIMD4<Float>
    ) {
        let points = try portrait.reference().map { SIMD2($0.x, $0.y) }
        let low = points.reduce(points[0]) { pointwiseMin($0, $1) }
        let high = points.reduce(points[0]) { pointwiseMax($0, $1) }
        let size = high - low
        let side = width * (high - low).max()
        // The window's middle lies on the face's, but for the edge that cuts it.
        let middle = (low + high) / 2 - way * (side / 2 - (visible - 0.5) * size)
        let corner = middle - side / 2
        let step = side / Float(Self.cutSide)
        let transform = Frames.AffineTransform(a: step, b: 0, c: 0, d: step, tx: corner.x, ty: corner.y)
        let box = SIMD4(lowHalf: (low - corner) / step, highHalf: (high - corner) / step)
        return (try portrait.frame().resampled(side: Self.cutSide, through: transform), box)
    }

    private static let cutSide = 480

    @Test("a face that the picture's edge cuts is found as well as with a border around the picture")
    func cutFaces() throws {
        let check = try FaceCheck()
        var found = 0
        var all = 0
        for portrait in Portrait.allCases {
            for way in [SIMD2<Float>(-1, 0), SIMD2(1, 0), SIMD2(0, -1), SIMD2(0, 1)] {
                for (visible, width) in [(0.55, 2.5), (0.55, 4), (0.7, 2.5), (0.7, 4), (0.7, 6)] as [(Float, Float)] {
                    let (frame, box) = try cut(portrait, way, visible: visible, width: width)
                    let middle = (
                        x: Double(min(max((box[0] + box[2]) / 2, 0), 479)) / 480,
                        y: Double(min(max((box[1] + box[3]) / 2, 0), 479)) / 480
                    )
                    all += 1
                    let isFound = try check.faces(in: frame).contains { face in
                        face.x...face.x + face.width ~= middle.x && face.y...face.y + face.height ~= middle.y
                            && face.width * 480 > Double(box[2] - box[0]) / 2
                    }
                    found += isFound ? 1 : 0
                    if !isFound { print("cut: \(portrait) \(way) \(visible) \(width) is bare") }
                }
            }
        }
        print("cut: \(found) of \(all) cut faces found")
        #expect(found == all)
    }

    @Test("a picture of any shape is searched", arguments: [(65500, 2), (12000, 20), (3, 60000)])
    func thinPicture(width: Int, height: Int) throws {
        let pixels = PixelMemory([UInt8](repeating: 90, count: width * height))
        let frame = Frame(
            stamp: FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0),
            captured: .now,
            size: FrameSize(width: width, height: height),
            format: .gray,
            planes: Frame.Planes(Frame.Plane(base: UnsafeRawPointer(pixels.base), bytesPerRow: width)),
            lease: pixels
        )
        #expect(try FaceCheck().faces(in: frame).isEmpty)
    }
}
