import FaceMetadata
import Frames
import Glibc

/// A detector model that is ready to run; from one thread at a time.
final class FaceDetector {
    let kind: DetectorKind
    private let model: CompiledModel
    private let priors: [SIMD2<Float>]

    init(_ kind: DetectorKind, in liteRT: LiteRT) throws(InferenceError) {
        self.kind = kind
        priors = kind.priors()
        let sampler = CropSampler(size: kind.inputSize, border: .black, range: -1...1)
        let count = Int32(priors.count)
        let outputs = [[1, count, Int32(DetectorKind.valuesPerPrior)], [1, count, 1]]
        model = try CompiledModel(kind.file, sampler, outputs: outputs, in: liteRT)
    }

    func detect(in frame: Frame, rect: NormalizedRect) throws(InferenceError) -> [FaceDetection] {
        try detect(in: frame, region: CropRegion(letterboxing: rect, of: frame.uprightSize))
    }

    func detect(in frame: Frame, region: CropRegion) throws(InferenceError) -> [FaceDetection] {
        try model.run(on: frame, region)
        let (boxes, logits) = (model.outputs[0].numbers, model.outputs[1].numbers)
        return FaceDetection.merging(kind.decode(boxes: boxes, logits: logits, priors: priors, in: region))
    }
}

/// One of the two detector models: its file, its input and the grid of places that it scores.
struct DetectorKind: Sendable {
    let file: PinnedFile
    /// Pixels of the input's width and height.
    let inputSize: Int
    /// Grids of so many cells squared, each cell with so many priors.
    let layers: [(cells: Int, priorsPerCell: Int)]
    /// Below this score a place holds no face; MediaPipe's own thresholds for the two models.
    let minimumScore: Float

    /// For faces wider than about an eighth of the picture.
    static let shortRange = DetectorKind(
        file: .shortRangeDetector,
        inputSize: 128,
        layers: [(cells: 16, priorsPerCell: 2), (cells: 8, priorsPerCell: 6)],
        minimumScore: 0.5
    )

    /// For faces wider than about a twentieth of the picture, at three times the time.
    static let fullRange = DetectorKind(
        file: .fullRangeDetector,
        inputSize: 192,
        layers: [(cells: 48, priorsPerCell: 1)],
        minimumScore: 0.6
    )

    /// The positions of the priors, the boxes that a single-shot detector refines, 0…1 of the input: rows first, in them columns,
    /// in them the priors of a cell.
    func priors() -> [SIMD2<Float>] {
        layers.flatMap { layer in
            (0..<layer.cells * layer.cells).flatMap { cell in
                let x = (Float(cell % layer.cells) + 0.5) / Float(layer.cells)
                let y = (Float(cell / layer.cells) + 0.5) / Float(layer.cells)
                return [SIMD2<Float>](repeating: SIMD2(x, y), count: layer.priorsPerCell)
            }
        }
    }

    /// Numbers per prior in the model's first output: centre, size, six points.
    static let valuesPerPrior = 16

    /// Reads the model's outputs: everything that scores enough, in pixels of the region that the model saw.
    func decode(
        boxes: UnsafePointer<Float>,
        logits: UnsafePointer<Float>,
        priors: [SIMD2<Float>],
        in region: CropRegion
    ) -> [FaceDetection] {
        let minimumLogit = logf(minimumScore / (1 - minimumScore))
        let unit = region.side / Float(inputSize)
        let (sine, cosine) = (sinf(region.rotation), cosf(region.rotation))
        var found: [FaceDetection] = []
        for index in priors.indices where logits[index] > minimumLogit {
            let values = boxes + Self.valuesPerPrior * index
            guard values[2] > 0, values[3] > 0 else { continue }
            func pair(_ number: Int) -> SIMD2<Float> { SIMD2(values[2 * number], values[2 * number + 1]) * unit }
            func point(_ number: Int) -> SIMD2<Float> {
                let way = (priors[index] - 0.5) * region.side + pair(number)
                return region.center + cosine * way + sine * SIMD2(-way.y, way.x)
            }
            let score = 1 / (1 + expf(-min(logits[index], 100)))
            let points = (2..<8).map(point)
            found.append(FaceDetection(score: score, center: point(0), size: pair(1), keypoints: points))
        }
        return found
    }
}

/// One face as the detector sees it, in pixels of the upright picture.
struct FaceDetection: Hashable, Sendable {
    /// 0…1.
    var score: Float
    var center: SIMD2<Float>
    var size: SIMD2<Float>
    /// Six points: the eyes at the picture's left and right, the nose's tip, the mouth, the ears at the left and right.
    var keypoints: [SIMD2<Float>]

    var leftEye: SIMD2<Float> { keypoints[0] }
    var rightEye: SIMD2<Float> { keypoints[1] }
    var box: NormalizedRect { NormalizedRect(center: SIMD2<Double>(center), size: SIMD2<Double>(size)) }

    /// Whether the boxes of two detections overlap so far that both are of the same face.
    func isSameFace(as other: FaceDetection) -> Bool { box.intersectionOverUnion(other.box) > 0.3 }

    /// Merges detections of the same face, best first: each best one takes in all that overlap it, weighted by score.
    ///
    /// The mean of many is steadier than the best alone, which is why it is not simply picked.
    static func merging(_ candidates: [FaceDetection]) -> [FaceDetection] {
        var remaining = candidates.sorted { $0.score > $1.score }
        var merged: [FaceDetection] = []
        while let best = remaining.first {
            let same = remaining.filter(best.isSameFace)
            // A box without area overlaps nothing, not even itself.
            merged.append(same.isEmpty ? best : mean(of: same, score: best.score))
            remaining = remaining.dropFirst().filter { !best.isSameFace(as: $0) }
        }
        return merged
    }

    private static func mean(of detections: [FaceDetection], score: Float) -> FaceDetection {
        let total = detections.reduce(0) { $0 + $1.score }
        func mean(_ value: (FaceDetection) -> SIMD2<Float>) -> SIMD2<Float> {
            detections.reduce(.zero) { $0 + value($1) * $1.score } / total
        }
        let keypoints = (0..<6).map { index in mean { $0.keypoints[index] } }
        return FaceDetection(score: score, center: mean(\.center), size: mean(\.size), keypoints: keypoints)
    }

    /// The detection as a face without an identity, in a picture of that size.
    func face(in size: FrameSize) -> FaceObject {
        // The detector's square reaches from the brows to the chin.
        let (side, eyeLine) = (Double(self.size.max()), rightEye - leftEye)
        let roll = Double(atan2f(eyeLine.y, eyeLine.x))
        let middle = SIMD2<Double>(center) + 0.5 + 0.1 * side * SIMD2(sin(roll), -cos(roll))
        let extent = SIMD2(1.1, 1.2) * side
        let picture = SIMD2<Double>(size.vector)
        let bounds = NormalizedRect(center: middle / picture, size: extent / picture)
        let pose = HeadPose(roll: roll * 180 / .pi, yaw: 0, pitch: 0)
        var face = FaceObject(faceID: FaceID(rawValue: 0), bounds: bounds, pose: pose, confidence: Double(score))
        face.leftEye = size.share(of: leftEye)
        face.rightEye = size.share(of: rightEye)
        face.mouth = size.share(of: keypoints[3])
        return face
    }
}
