import FaceInference
import FaceMetadata
import FacetTestSupport
import Frames

/// A person cut out of a clip, to be put into rooms: pictures, and how much of each pixel is the person.
struct HoldActor: Sendable {
    /// What a person is cut out of, in heights of the face.
    private static let crop: Float = 6
    /// How high a face is in the rooms, and at most where a clip shows little of the body, in pixels.
    private static let height: Float = 100
    private static let largest: Float = 190
    private static let pictures = 24

    struct Picture: Sendable {
        /// Pixels of its width and height; the face's centre is in the middle of its width, and `faceRow` from its top.
        var side: Int
        var faceRow: Double
        /// Red, green, blue and how much of that is the person, 0…1.
        var pixels: [SIMD4<Float>]
        /// The face's width and height.
        var face: SIMD2<Double>
    }

    let pictures: [Picture]
    /// How far the body reaches below the face's centre, in heights of the face, before the clip's picture ends.
    let reach: Double

    /// Cuts the person out of a clip, from half a second on.
    init(_ name: String) throws {
        let frames = try RecordedFrames(DevelopmentClips.path(name)).frames
        let analyzer = try FaceAnalyzer()
        let outline = try PersonOutline(modelDirectory: nil)
        var pictures: [Picture] = []
        var reach: Double = 10
        for (number, frame) in frames.enumerated() {
            let faces = try analyzer.analyze(frame).observations
            guard let face = faces.max(by: { $0.bounds.area < $1.bounds.area }), number >= 15, number % 3 == 0,
                pictures.count < Self.pictures
            else { continue }
            reach = min(reach, (1 - face.bounds.center.y) / face.bounds.height)
            let scale = reach >= 3.2 ? Self.height : min(Self.largest, 260 / Float(reach))
            pictures.append(try Self.cut(face.bounds, out: frame, height: scale, outline))
        }
        self.pictures = pictures
        self.reach = reach
    }

    private static func cut(
        _ face: NormalizedRect,
        out frame: Frame,
        height: Float,
        _ outline: PersonOutline
    ) throws -> Picture {
        let size = SIMD2(Float(frame.uprightSize.width), Float(frame.uprightSize.height))
        let center = SIMD2(Float(face.center.x), Float(face.center.y)) * size
        let faceHeight = Float(face.height) * size.y
        let step = faceHeight / height
        let side = Int(crop * height)
        let low = SIMD2(center.x - crop / 2 * faceHeight, center.y - 1.2 * faceHeight)
        let sampler = CropSampler(size: side, border: .replicate, range: 0...255)
        var colors = [Float](repeating: 0, count: sampler.count)
        let transform = AffineTransform(a: step, b: 0, c: 0, d: step, tx: low.x, ty: low.y)
        precondition(sampler.sample(frame, through: transform, into: &colors), "a clip's frame has pixels")
        // The outline is found where the picture is, and continued below it.
        let modelSide = min(crop * faceHeight, max(size.x, size.y))
        let middle = SIMD2(center.x, min(low.y + modelSide / 2, size.y - modelSide / 2 + 0.25 * modelSide))
        try outline.find(around: middle, side: modelSide, in: frame)
        let pixels = (0..<side * side).map { index in
            var place = low + SIMD2(Float(index % side), Float(index / side)) * step
            place.y = min(place.y, size.y - 2)
            let isInside = place.x >= 0 && place.x < size.x && place.y >= 0
            let share = isInside ? min(max((outline.share(at: place) - 0.35) / 0.4, 0), 1) : 0
            return SIMD4(colors[3 * index], colors[3 * index + 1], colors[3 * index + 2], share)
        }
        return Picture(
            side: side,
            faceRow: Double(1.2 * height),
            pixels: pixels,
            face: SIMD2(face.width * Double(size.x), face.height * Double(size.y)) / Double(step)
        )
    }
}
