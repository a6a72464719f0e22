import Glibc

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
