import Glibc

/// YuNet, the network that finds faces, at one input size; used from one thread at a time.
///
/// It sees faces from about 10 pixels of its input up to nearly its whole height, also from the side.
final class FaceDetector {
    /// Pixels of the input's width, a multiple of 32.
    let width: Int
    /// Pixels of the input's height, a multiple of 32.
    let height: Int
    private let model: CompiledModel

    /// The number of which the sides of an input must be multiples.
    static let unit = 32
    /// The pixels of the input that a cell of each of the network's three grids covers.
    private static let strides = [8, 16, 32]
    /// The largest overlap of the boxes of two faces, as a share of their union; libfacedetection's own limit.
    private static let mostOverlap = 0.45

    init(width: Int, height: Int, in liteRT: LiteRT) throws(InferenceError) {
        self.width = width
        self.height = height
        let sampler = CropSampler(width: width, height: height, border: .black, range: 0...255, order: .bgr)
        // For each cell: the certainty of a face, the certainty of its box, the box, five points.
        let outputs = [1, 1, 4, 10].flatMap { (channels: Int32) -> [[Int32]] in
            Self.strides.map { [1, Int32(height / $0), Int32(width / $0), channels] }
        }
        model = try CompiledModel(
            .faceDetector,
            sampler,
            outputs: outputs,
            editing: { Self.resize($0, width: width, height: height) },
            in: liteRT
        )
    }

    /// The input size that the model's file states.
    private static let filed = (width: 640, height: 384)

    /// Writes the shapes of all tensors for another input size into the bytes of the model.
    ///
    /// LiteRT can resize a compiled model, but then runs it without XNNPACK, ten times as slowly. In the file a shape
    /// is its length 4, then 1, the height, the width and the channels, each of four bytes; the input with the margin
    /// of the first convolution has one row and one column more.
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

    /// Finds the faces in a region, as long as the input, with at least `minimumScore`; the surest first.
    func detect(in frame: Frame, region: CropRegion, minimumScore: Float) throws(InferenceError) -> [FaceDetection] {
        try model.run(on: frame, through: region.uprightFromInput(width: width, height: height))
        return FaceDetection.best(decode(in: region, minimumScore), mostOverlap: Self.mostOverlap)
    }

    /// The mean brightness, 0…1, of a face that was found in the region of the last call of `detect`.
    func luminance(of detection: FaceDetection, in region: CropRegion) -> Double {
        let scale = Float(max(width, height)) / region.side
        let middle = (detection.center - region.center) * scale + SIMD2(Float(width), Float(height)) / 2
        let half = detection.size * scale / 4
        let low = pointwiseMax(middle - half, .zero)
        let high = pointwiseMin(middle + half, SIMD2(Float(width - 1), Float(height - 1)))
        guard all(low .<= high) else { return 0 }
        return model.luminance(columns: Int(low.x)...Int(high.x), rows: Int(low.y)...Int(high.y))
    }

    /// Reads the network's answer: every cell that scores enough, in pixels of the upright picture.
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
                // Positions are edges of pixels; the map is for their centres.
                func place(_ numbers: UnsafeMutablePointer<Float>) -> SIMD2<Float> {
                    toPicture((corner + SIMD2(numbers[0], numbers[1])) * Float(stride) - 0.5)
                }
                let box = values[2] + 4 * cell
                let size = SIMD2(expf(min(box[2], 10)), expf(min(box[3], 10))) * Float(stride) * scale
                let points = (0..<5).map { place(values[3] + 10 * cell + 2 * $0) }
                found.append(
                    FaceDetection(
                        score: product.squareRoot(),
                        center: place(box),
                        size: isOnSide ? SIMD2(size.y, size.x) : size,
                        points: points
                    )
                )
            }
        }
        return found
    }
}

/// A face as the detector sees it, in pixels of the upright picture.
struct FaceDetection: Hashable, Sendable {
    /// The detector's certainty, 0…1.
    var score: Float
    var center: SIMD2<Float>
    /// The width, and the height from forehead to chin.
    var size: SIMD2<Float>
    /// Five points: the picture's left and right eye, the nose's tip, the mouth's left and right corner.
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
    /// Makes a detection, without score and direction, of a face in a region of the landmark model.
    init(in region: CropRegion) {
        let size = region.side / CropRegion.margin
        let points = Array(repeating: region.center, count: 5)
        self.init(score: 0, center: region.center, size: .init(repeating: size), points: points)
    }

    /// The rotation of the line between the eyes, in radians, clockwise as seen; in a profile, whose eyes are one
    /// behind the other, that of the line from them to the mouth.
    var roll: Float {
        let eyes = rightEye - leftEye
        let down = mouth - (leftEye + rightEye) / 2
        let across = eyes + SIMD2(down.y, -down.x) / 4
        return atan2f(across.y, across.x)
    }

    /// Distance of the nose's tip from the middle of the eyes, along their line to the right, in widths of the face.
    var turnedShare: Float {
        let way = nose - (leftEye + rightEye) / 2
        return (way.x * cosf(roll) + way.y * sinf(roll)) / max(size.x, 1)
    }

    // Fitted to the mesh on 384 frames of five clips, with yaws up to 25°: the angles then differ by 3° (standard
    // deviation), the boxes' heights by 2 %.

    /// The degrees of yaw for a nose that is one width of the face beside the middle of the eyes, and the largest yaw
    /// that is told: beyond it, one eye is behind the other.
    private static let yaw = (perShare: 160.0, most: 45.0)
    /// The distance of the outer eye corners as a multiple of that of the eyes' middles.
    private static let cornersPerEyes = 1.45
    /// The distance from the top of the detector's box, at the hair, to that of the mesh, as a share of the height.
    private static let forehead: Float = 0.1

    /// The direction of the head, as far as the five points tell; the pitch is unknown.
    var pose: HeadPose {
        let yaw = Double(turnedShare) * Self.yaw.perShare
        return HeadPose(roll: Double(roll) * 180 / .pi, yaw: abs(yaw) <= Self.yaw.most ? yaw : nil, pitch: nil)
    }

    /// The middle and the size of the face's mesh.
    var outline: (center: SIMD2<Float>, size: SIMD2<Float>) {
        let down = SIMD2(-sinf(roll), cosf(roll)) * (Self.forehead / 2 * size.y)
        return (center + down, SIMD2(size.x, (1 - Self.forehead) * size.y))
    }

    func overlaps(_ other: FaceDetection, by share: Double = 0.3) -> Bool {
        box.intersectionOverUnion(other.box) > share
    }

    /// The best detection of each face, the surest first.
    static func best(_ candidates: [FaceDetection], mostOverlap: Double) -> [FaceDetection] {
        var best: [FaceDetection] = []
        for candidate in candidates.sorted(by: { $0.score > $1.score })
        where !best.contains(where: { $0.overlaps(candidate, by: mostOverlap) }) {
            best.append(candidate)
        }
        return best
    }

    /// The face in the same picture enlarged by a factor.
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

    /// The detection as a face without an identity, in a picture of that size.
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
