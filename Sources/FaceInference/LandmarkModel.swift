package import Frames
import Glibc

/// Finds the 478 landmarks of a face in a region that holds one.
package final class LandmarkModel {
    /// Pixels of the input's width and height.
    static let inputSize = 192

    private let model: CompiledModel
    private let sampler = CropSampler(size: LandmarkModel.inputSize, border: .replicate, range: 0...1)

    package init(_ liteRT: LiteRT) throws(InferenceError) {
        model = try CompiledModel(
            PinnedFile.landmarkModel.name,
            bytes: liteRT.files.landmarkModel,
            operators: CustomOperators(liteRT),
            in: liteRT
        )
        try model.expect(
            input: sampler.count,
            outputs: [3 * FaceMeshIndices.meshCount, 160, 142, 142, 10, 10, 1]
        )
    }

    /// Finds the landmarks in a region of the frame.
    ///
    /// - Returns: How sure the model is that there is a face, 0…1.
    package func find(
        _ landmarks: FaceLandmarks,
        in frame: Frame,
        region: CropRegion
    ) throws(InferenceError) -> Double {
        try model.sample(frame, region, with: sampler)
        try model.run()
        refineMesh()
        let placement = Placement(region)
        let mesh = model.outputs[0].pointer
        for index in 0..<FaceMeshIndices.meshCount {
            placement.write(mesh[3 * index], mesh[3 * index + 1], mesh[3 * index + 2], to: landmarks, index)
        }
        writeIris(model.outputs[4].pointer, FaceMeshIndices.leftIris, FaceMeshIndices.leftLids, placement, landmarks)
        writeIris(model.outputs[5].pointer, FaceMeshIndices.rightIris, FaceMeshIndices.rightLids, placement, landmarks)
        return Double(1 / (1 + expf(-model.outputs[6].pointer[0])))
    }

    /// The mean brightness of the crop that was looked at last, 0…1.
    func luminance() -> Double {
        model.luminance(size: Self.inputSize)
    }

    /// Overwrites x and y of the lips and the eyes in the mesh by the model's second look at them.
    private func refineMesh() {
        let mesh = model.outputs[0].floats
        let parts = [FaceMeshIndices.refinedLips, FaceMeshIndices.refinedLeftEye, FaceMeshIndices.refinedRightEye]
        for (part, output) in zip(parts, model.outputs[1...3]) {
            let points = output.pointer
            for (position, index) in part.enumerated() {
                mesh[3 * index] = points[2 * position]
                mesh[3 * index + 1] = points[2 * position + 1]
            }
        }
    }

    /// Puts an iris at the mean depth of its lids: the model gives it none.
    private func writeIris(
        _ points: UnsafePointer<Float>,
        _ iris: [Int],
        _ lids: [Int],
        _ placement: Placement,
        _ landmarks: FaceLandmarks
    ) {
        let mesh = model.outputs[0].pointer
        var depth: Float = 0
        for lid in lids { depth += mesh[3 * lid + 2] }
        depth /= Float(lids.count)
        for (position, index) in iris.enumerated() {
            placement.write(points[2 * position], points[2 * position + 1], depth, to: landmarks, index)
        }
    }

    /// Maps the model's coordinates, pixels of its input, to the upright picture.
    private struct Placement {
        let transform: AffineTransform
        let depthScale: Float

        init(_ region: CropRegion) {
            transform = region.uprightFromCrop(size: LandmarkModel.inputSize)
            depthScale = region.side / Float(LandmarkModel.inputSize)
        }

        func write(_ x: Float, _ y: Float, _ z: Float, to landmarks: FaceLandmarks, _ index: Int) {
            let position = transform(x, y)
            landmarks.numbers[3 * index] = position.x
            landmarks.numbers[3 * index + 1] = position.y
            landmarks.numbers[3 * index + 2] = z * depthScale
        }
    }
}
