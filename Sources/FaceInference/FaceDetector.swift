import FaceMetadata
import Frames

/// Finds faces in a whole frame or in a part of it.
final class FaceDetector {
    let kind: DetectorKind
    private let model: CompiledModel
    private let anchors: [FaceDetection.Point]
    private let sampler: CropSampler

    init(_ kind: DetectorKind, directory: String, in liteRT: LiteRT) throws(InferenceError) {
        self.kind = kind
        anchors = kind.anchors()
        sampler = CropSampler(size: kind.inputSize, border: .black, range: -1...1)
        let bytes = try kind.file.load(from: directory)
        model = try CompiledModel(kind.file.name, bytes: bytes, in: liteRT)
        bytes.releasePages(keeping: [])
        try model.expect(
            input: sampler.count,
            outputs: [anchors.count * DetectorKind.valuesPerAnchor, anchors.count]
        )
    }

    /// Looks at the part of the frame that lies in `rect`.
    func detect(in frame: Frame, rect: NormalizedRect) throws(InferenceError) -> [FaceDetection] {
        let region = CropRegion(letterboxing: rect, of: frame.uprightSize)
        try model.sample(frame, region, with: sampler)
        try model.run()
        return FaceDetection.merging(
            kind.decode(
                boxes: model.outputs[0].pointer,
                logits: model.outputs[1].pointer,
                anchors: anchors,
                in: region
            )
        )
    }

    /// The mean brightness of what was looked at last, 0…1, without what lay outside the picture.
    func luminance(of rect: NormalizedRect, in size: FrameSize) -> Double {
        let (width, height) = (rect.width * Double(size.width), rect.height * Double(size.height))
        let longer = max(width, height)
        guard longer > 0 else { return 0 }
        return model.luminance(
            size: kind.inputSize,
            shareX: width / longer,
            shareY: height / longer,
            range: -1...1
        )
    }
}
