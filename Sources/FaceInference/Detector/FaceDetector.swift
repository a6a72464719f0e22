import Glibc

/// The face detection network YuNet at one input size. Used from one thread at a time.
///
/// It detects faces, also in profile, from about 10 pixels of its input up to nearly the input's height.
final class FaceDetector {
    /// The width of the input in pixels, like `height` a multiple of 32.
    let width: Int
    let height: Int
    private let model: CompiledModel

    /// The number of pixels of which the input's width and height must be multiples.
    static let unit = 32
    /// The side of a cell, in input pixels, in each of the network's three output grids.
    private static let strides = [8, 16, 32]
    /// The maximum intersection over union of the boxes of two different faces, as in libfacedetection.
    private static let mostOverlap = 0.45

    /// The mean brightness, 0…1, below which the input is brightened. Chosen on dark pictures (docs/accuracy.md).
    private static let dark = 0.15
    /// Whether the values of the last input are the square roots of the sampled ones, scaled to 0…255.
    private(set) var isBrightened = false

    init(width: Int, height: Int, in liteRT: LiteRT) throws(InferenceError) {
        self.width = width
        self.height = height
        let sampler = CropSampler(width: width, height: height, border: .black, range: 0...255, order: .bgr)
        // For each cell: the confidence of a face, the confidence of its box, the box, five points.
        let outputs = [1, 1, 4, 10].flatMap { (channels: Int32) -> [[Int32]] in
            Self.strides.map { [1, Int32(height / $0), Int32(width / $0), channels] }
        }
        model = try CompiledModel(.faceDetector, sampler, outputs: outputs, in: liteRT) {
            Self.resize($0, width: width, height: height)
        }
    }

    /// The input size for which the model file was made.
    private static let filed = (width: 640, height: 384)

    /// Changes the model's bytes so that the shapes of all tensors fit another input size.
    ///
    /// LiteRT can resize a compiled model, but then runs it without XNNPACK, ten times as slowly. In the file a shape
    /// is five 32-bit numbers: the rank 4, the batch size 1, the height, the width and the channels. The padded input
    /// of the first convolution has one more row and column.
    private static func resize(_ bytes: AlignedMemory, width: Int, height: Int) {
        let words = bytes.base.assumingMemoryBound(to: Int32.self)
        let sizes = [1, 2, 4, 8, 16, 32].map { (Int32(filed.height / $0), Int32(filed.width / $0)) }
        for index in 0..<bytes.count / 4 - 4 where words[index] == 4 && words[index + 1] == 1 {
            let rows = words[index + 2]
            let columns = words[index + 3]
            let margin: Int32 = rows == filed.height + 1 && columns == filed.width + 1 ? 1 : 0
            guard sizes.contains(where: { $0 == (rows - margin, columns - margin) }) else { continue }
            words[index + 2] = Int32(height) * (rows - margin) / Int32(filed.height) + margin
            words[index + 3] = Int32(width) * (columns - margin) / Int32(filed.width) + margin
        }
    }

    /// Finds faces of at least `minimumScore`, best first, in the square `region`, scaled to the input's longer side.
    func detect(in frame: Frame, region: CropRegion, minimumScore: Float) throws(InferenceError) -> [FaceDetection] {
        try model.run(on: frame, through: region.uprightFromInput(width: width, height: height), prepare: brighten)
        return FaceDetection.best(decode(in: region, minimumScore), mostOverlap: Self.mostOverlap)
    }

    /// Brightens a dark input, because the network was trained on faces in good light.
    private func brighten() {
        // What is outside the picture is black, and says nothing of its light.
        let light = model.luminance(columns: 0...width - 1, rows: 0...height - 1, withoutBlack: true)
        isBrightened = light < Self.dark
        guard isBrightened else { return }
        let numbers = model.input.numbers
        for index in 0..<3 * width * height { numbers[index] = (255 * numbers[index]).squareRoot() }
    }

    /// Returns the mean brightness, 0…1, of the middle of a face that the last call of `detect` found in `region`.
    func luminance(of detection: FaceDetection, in region: CropRegion) -> Double {
        if isBrightened {
            isBrightened = false
            let numbers = model.input.numbers
            for index in 0..<3 * width * height { numbers[index] *= numbers[index] / 255 }
        }
        let scale = Float(max(width, height)) / region.side
        let middle = (detection.center - region.center) * scale + SIMD2(Float(width), Float(height)) / 2
        let half = detection.size * scale / 4
        let low = pointwiseMax(middle - half, .zero)
        let high = pointwiseMin(middle + half, SIMD2(Float(width - 1), Float(height - 1)))
        guard all(low .<= high) else { return 0 }
        return model.luminance(columns: Int(low.x)...Int(high.x), rows: Int(low.y)...Int(high.y))
    }

    /// Decodes the network's output to detections with at least `minimumScore`, in pixels of the upright picture.
    private func decode(in region: CropRegion, _ minimumScore: Float) -> [FaceDetection] {
        let toPicture = region.uprightFromInput(width: width, height: height)
        let scale = region.side / Float(max(width, height))
        // A quarter turn exchanges width and height.
        let isOnSide = sinf(region.rotation).magnitude > 0.7
        var found: [FaceDetection] = []
        for (level, stride) in Self.strides.enumerated() {
            let columns = width / stride
            let values = (0..<4).map { model.outputs[3 * $0 + level].numbers }
            for cell in 0..<columns * (height / stride) {
                let product = values[0][cell] * values[1][cell]
                guard product >= minimumScore * minimumScore else { continue }
                let corner = SIMD2(Float(cell % columns), Float(cell / columns))
                // The network's positions refer to pixel edges, those of the map to pixel centres.
                func place(_ numbers: UnsafeMutablePointer<Float>) -> SIMD2<Float> {
                    toPicture((corner + SIMD2(numbers[0], numbers[1])) * Float(stride) - 0.5)
                }
                let box = values[2] + 4 * cell
                let turned = SIMD2(expf(min(box[2], 10)), expf(min(box[3], 10))) * Float(stride) * scale
                let size = isOnSide ? SIMD2(turned.y, turned.x) : turned
                let points = (0..<5).map { place(values[3] + 10 * cell + 2 * $0) }
                found.append(.init(score: product.squareRoot(), center: place(box), size: size, points: points))
            }
        }
        return found
    }
}

/// A face as the detector finds it, in pixels of the upright picture.
struct FaceDetection: Hashable, Sendable {
    /// The detector's confidence, 0…1.
    var score: Float
    var center: SIMD2<Float>
    /// The width, and the height from forehead to chin.
    var size: SIMD2<Float>
    /// Five points: the left and right eye as seen in the picture, the nose's tip, the mouth's left and right corner.
    var points: [SIMD2<Float>]

    var leftEye: SIMD2<Float> { points[0] }
    var rightEye: SIMD2<Float> { points[1] }
    var nose: SIMD2<Float> { points[2] }
    var mouth: SIMD2<Float> { (points[3] + points[4]) / 2 }
    var box: NormalizedRect { NormalizedRect(center: SIMD2<Double>(center), size: SIMD2<Double>(size)) }
    var corners: (low: SIMD2<Float>, high: SIMD2<Float>) { (center - size / 2, center + size / 2) }
    var side: Float { size.max() }
}

extension FaceDetection {
    /// Makes a detection of the face in a landmark model's region, with the score 0 and all points in the centre.
    init(in region: CropRegion) {
        let size = region.side / CropRegion.margin
        let points = Array(repeating: region.center, count: 5)
        self.init(score: 0, center: region.center, size: .init(repeating: size), points: points)
    }

    /// The rotation in the picture, in radians, clockwise as seen. In a profile, where one eye is behind the other, it
    /// follows the line from the eyes to the mouth rather than that between the eyes.
    var roll: Float {
        let eyes = rightEye - leftEye
        let down = mouth - (leftEye + rightEye) / 2
        let across = eyes + SIMD2(down.y, -down.x) / 4
        return atan2f(across.y, across.x)
    }

    /// How far the nose's tip is to the right of the midpoint of the eyes, along the eye line, in widths of the face.
    var turnedShare: Float {
        let way = nose - (leftEye + rightEye) / 2
        return (way.x * cosf(roll) + way.y * sinf(roll)) / max(size.x, 1)
    }

    // Fitted to the mesh on 384 frames of five clips, with yaws up to 25°. The angles then differ by 3° (standard
    // deviation), the boxes' heights by 2 %.

    /// The factor from `turnedShare` to yaw in degrees, and the maximum yaw in degrees that is estimated.
    /// Beyond it, one eye hides behind the other.
    private static let yaw = (perShare: 160.0, most: 45.0)
    /// The distance between the outer eye corners as a multiple of the distance between the eyes' centres.
    private static let cornersPerEyes = 1.45
    /// The distance from the top of the detector's box down to the top of the mesh, as a fraction of the box's height.
    private static let forehead: Float = 0.1

    /// The head pose as estimated from the five points. The pitch is always nil, the yaw is nil if it is large.
    var pose: HeadPose {
        let yaw = Double(turnedShare) * Self.yaw.perShare
        return HeadPose(roll: Double(roll) * 180 / .pi, yaw: abs(yaw) <= Self.yaw.most ? yaw : nil, pitch: nil)
    }

    /// The estimated centre and size of the face's landmark mesh, in pixels.
    var outline: (center: SIMD2<Float>, size: SIMD2<Float>) {
        let down = SIMD2(-sinf(roll), cosf(roll)) * (Self.forehead / 2 * size.y)
        return (center + down, SIMD2(size.x, (1 - Self.forehead) * size.y))
    }

    func overlaps(_ other: FaceDetection, by share: Double = 0.3) -> Bool {
        box.intersectionOverUnion(other.box) > share
    }

    /// Returns the candidates by falling score, without those that overlap a better one by more than `mostOverlap`.
    static func best(_ candidates: [FaceDetection], mostOverlap: Double) -> [FaceDetection] {
        var best: [FaceDetection] = []
        for candidate in candidates.sorted(by: { $0.score > $1.score })
        where !best.contains(where: { $0.overlaps(candidate, by: mostOverlap) }) {
            best.append(candidate)
        }
        return best
    }

    /// Converts the detection to the same picture enlarged by a factor.
    func scaled(by factor: Float) -> FaceDetection {
        func place(_ point: SIMD2<Float>) -> SIMD2<Float> { (point + 0.5) * factor - 0.5 }
        return FaceDetection(score: score, center: place(center), size: size * factor, points: points.map(place))
    }

    func observation(in size: FrameSize) -> FaceObservation {
        var observation = FaceObservation()
        let outline = outline
        observation.hasMesh = false
        observation.bounds = size.share(of: (outline.center - outline.size / 2, outline.center + outline.size / 2))
        observation.pose = pose
        let eyes = rightEye - leftEye
        observation.eyeDistance = Double(hypotf(eyes.x, eyes.y)) * Self.cornersPerEyes
        observation.confidence = Double(score)
        observation.leftEye = size.share(of: leftEye)
        observation.rightEye = size.share(of: rightEye)
        observation.mouth = size.share(of: mouth)
        return observation
    }

    /// Returns the detection as a face with identity 0 in an upright picture of this size.
    func face(in size: FrameSize) -> FaceObject {
        let seen = observation(in: size)
        let bounds = size.share(of: corners)
        var face = FaceObject(faceID: FaceID(rawValue: 0), bounds: bounds, pose: seen.pose, confidence: seen.confidence)
        face.leftEye = seen.leftEye
        face.rightEye = seen.rightEye
        face.mouth = seen.mouth
        return face
    }
}
