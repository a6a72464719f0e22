import FaceMetadata
import Frames
import Glibc

/// Finds faces in a whole frame or in a part of it.
final class FaceDetector {
    let kind: DetectorKind
    private let model: CompiledModel
    private let anchors: [FaceDetection.Point]
    private let sampler: CropSampler

    init(_ kind: DetectorKind, _ bytes: AlignedMemory, in liteRT: LiteRT) throws(InferenceError) {
        self.kind = kind
        anchors = kind.anchors()
        sampler = CropSampler(size: kind.inputSize, border: .black, range: -1...1)
        model = try CompiledModel(kind.file.name, bytes: bytes, in: liteRT)
        try model.expect(
            input: sampler.count,
            outputs: [anchors.count * DetectorKind.valuesPerAnchor, anchors.count]
        )
    }

    /// Looks at the part of the frame that lies in `rect`.
    func detect(in frame: Frame, rect: NormalizedRect) throws(InferenceError) -> [FaceDetection] {
        try detect(in: frame, region: CropRegion(letterboxing: rect, of: frame.uprightSize))
    }

    /// Looks at a square of the frame, turned as the region is.
    func detect(in frame: Frame, region: CropRegion) throws(InferenceError) -> [FaceDetection] {
        try model.sample(frame, region, with: sampler)
        try model.run()
        let found = FaceDetection.merging(
            kind.decode(
                boxes: model.outputs[0].pointer,
                logits: model.outputs[1].pointer,
                anchors: anchors,
                in: region
            )
        )
        return region.rotation == 0 ? found : found.map { $0.turned(around: region) }
    }
}

/// One of the two detector models: its file, its input and the grid of places that it scores.
struct DetectorKind: Hashable, Sendable {
    /// A grid of cells, each with that many anchors.
    struct Layer: Hashable, Sendable {
        let cells: Int
        let anchorsPerCell: Int
    }

    let file: PinnedFile
    /// Pixels of the input's width and height.
    let inputSize: Int
    let layers: [Layer]
    /// Below this score a place holds no face; MediaPipe's own thresholds for the two models.
    let minimumScore: Float

    /// For faces wider than about an eighth of the picture.
    static let shortRange = DetectorKind(
        file: .shortRangeDetector,
        inputSize: 128,
        layers: [Layer(cells: 16, anchorsPerCell: 2), Layer(cells: 8, anchorsPerCell: 6)],
        minimumScore: 0.5
    )

    /// For faces wider than about a twentieth of the picture, at three times the time.
    static let fullRange = DetectorKind(
        file: .fullRangeDetector,
        inputSize: 192,
        layers: [Layer(cells: 48, anchorsPerCell: 1)],
        minimumScore: 0.6
    )

    /// The anchors' positions, 0…1 of the input: rows first, in them columns, in them the anchors of a cell.
    func anchors() -> [FaceDetection.Point] {
        layers.flatMap { layer in
            (0..<layer.cells * layer.cells).flatMap { cell in
                let x = (Float(cell % layer.cells) + 0.5) / Float(layer.cells)
                let y = (Float(cell / layer.cells) + 0.5) / Float(layer.cells)
                return [FaceDetection.Point](repeating: .init(x: x, y: y), count: layer.anchorsPerCell)
            }
        }
    }

    /// Numbers per anchor in the model's first output: centre, size, six points.
    static let valuesPerAnchor = 16

    /// Reads the model's outputs: everything that scores enough, in pixels of the region that the model saw.
    func decode(
        boxes: UnsafePointer<Float>,
        logits: UnsafePointer<Float>,
        anchors: [FaceDetection.Point],
        in region: CropRegion
    ) -> [FaceDetection] {
        let minimumLogit = logf(minimumScore / (1 - minimumScore))
        let unit = region.side / Float(inputSize)
        let (left, top) = (region.centerX - region.side / 2, region.centerY - region.side / 2)
        var found: [FaceDetection] = []
        for index in anchors.indices where logits[index] > minimumLogit {
            let values = boxes + Self.valuesPerAnchor * index
            guard values[2] > 0, values[3] > 0 else { continue }
            let originX = left + anchors[index].x * region.side
            let originY = top + anchors[index].y * region.side
            found.append(
                FaceDetection(
                    score: 1 / (1 + expf(-min(logits[index], 100))),
                    centerX: originX + values[0] * unit,
                    centerY: originY + values[1] * unit,
                    width: values[2] * unit,
                    height: values[3] * unit,
                    keypoints: (0..<6).map { point in
                        .init(
                            x: originX + values[4 + 2 * point] * unit,
                            y: originY + values[5 + 2 * point] * unit
                        )
                    }
                )
            )
        }
        return found
    }
}

/// One face as the detector sees it, in pixels of the upright picture.
struct FaceDetection: Hashable, Sendable {
    struct Point: Hashable, Sendable {
        var x: Float
        var y: Float
    }

    /// 0…1.
    var score: Float
    var centerX: Float
    var centerY: Float
    var width: Float
    var height: Float
    /// Six points: the eyes at the picture's left and right, the nose's tip, the mouth, the ears at the left and right.
    var keypoints: [Point]

    /// What was found in a square that was taken for upright, where it is in the turned one.
    func turned(around region: CropRegion) -> FaceDetection {
        let (sine, cosine) = (sinf(region.rotation), cosf(region.rotation))
        func turned(_ x: Float, _ y: Float) -> Point {
            let (dx, dy) = (x - region.centerX, y - region.centerY)
            return Point(x: region.centerX + cosine * dx - sine * dy, y: region.centerY + sine * dx + cosine * dy)
        }
        var result = self
        let center = turned(centerX, centerY)
        (result.centerX, result.centerY) = (center.x, center.y)
        result.keypoints = keypoints.map { turned($0.x, $0.y) }
        return result
    }

    var leftEye: Point { keypoints[0] }
    var rightEye: Point { keypoints[1] }

    /// The overlap of two boxes as a share of their union.
    func intersectionOverUnion(_ other: FaceDetection) -> Float {
        let overlapWidth =
            min(centerX + width / 2, other.centerX + other.width / 2)
            - max(centerX - width / 2, other.centerX - other.width / 2)
        let overlapHeight =
            min(centerY + height / 2, other.centerY + other.height / 2)
            - max(centerY - height / 2, other.centerY - other.height / 2)
        guard overlapWidth > 0, overlapHeight > 0 else { return 0 }
        let overlap = overlapWidth * overlapHeight
        let union = width * height + other.width * other.height - overlap
        return union > 0 ? overlap / union : 0
    }
}

extension FaceDetection {
    /// Merges detections of the same face, best first: each best one takes in all that overlap it, weighted by score.
    ///
    /// The mean of many is steadier than the best alone, which is why it is not simply picked.
    static func merging(_ candidates: [FaceDetection], overlap threshold: Float = 0.3) -> [FaceDetection] {
        var remaining = candidates.sorted { $0.score > $1.score }
        var merged: [FaceDetection] = []
        while let best = remaining.first {
            let same = remaining.filter { $0.intersectionOverUnion(best) > threshold }
            // A box without area overlaps nothing, not even itself.
            merged.append(same.isEmpty ? best : mean(of: same, score: best.score))
            remaining = remaining.dropFirst().filter { $0.intersectionOverUnion(best) <= threshold }
        }
        return merged
    }

    private static func mean(of detections: [FaceDetection], score: Float) -> FaceDetection {
        let total = detections.reduce(0) { $0 + $1.score }
        func mean(_ value: (FaceDetection) -> Float) -> Float {
            detections.reduce(0) { $0 + value($1) * $1.score } / total
        }
        return FaceDetection(
            score: score,
            centerX: mean(\.centerX),
            centerY: mean(\.centerY),
            width: mean(\.width),
            height: mean(\.height),
            keypoints: (0..<6).map { index in
                Point(x: mean { $0.keypoints[index].x }, y: mean { $0.keypoints[index].y })
            }
        )
    }
}

extension FaceDetection {
    /// The detection as a face without an identity, in a picture of that size.
    func face(in size: FrameSize) -> FaceObject {
        let (width, height) = (Double(size.width), Double(size.height))
        func place(_ point: Point) -> NormalizedPoint {
            NormalizedPoint(x: (Double(point.x) + 0.5) / width, y: (Double(point.y) + 0.5) / height)
        }
        // The detector's square reaches from the brows to the chin.
        let (side, eyeLine) = (
            Double(max(self.width, self.height)), SIMD2(rightEye.x - leftEye.x, rightEye.y - leftEye.y)
        )
        let roll = Double(atan2f(eyeLine.y, eyeLine.x))
        let center = (
            x: Double(centerX) + 0.5 + 0.1 * side * sin(roll), y: Double(centerY) + 0.5 - 0.1 * side * cos(roll)
        )
        var face = FaceObject(
            faceID: FaceID(rawValue: 0),
            bounds: NormalizedRect(
                x: (center.x - 0.55 * side) / width,
                y: (center.y - 0.6 * side) / height,
                width: 1.1 * side / width,
                height: 1.2 * side / height
            ),
            pose: HeadPose(roll: roll * 180 / .pi, yaw: 0, pitch: 0),
            confidence: Double(score)
        )
        (face.leftEye, face.rightEye, face.mouth) = (place(leftEye), place(rightEye), place(keypoints[3]))
        return face
    }
}
