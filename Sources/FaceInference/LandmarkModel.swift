package import Frames
import Glibc

/// Finds the 478 landmarks of a face in a region that holds one.
package final class LandmarkModel {
    /// Pixels of the input's width and height.
    static let inputSize = 192

    private let model: CompiledModel
    private let sampler = CropSampler(size: LandmarkModel.inputSize, border: .replicate, range: 0...1)

    package init(_ liteRT: LiteRT) throws(InferenceError) {
        model = try CompiledModel(.landmarkModel, operators: CustomOperator.all(liteRT), in: liteRT)
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
        let mesh = model.outputs[0].numbers
        for index in 0..<FaceMeshIndices.meshCount {
            placement.write(mesh[3 * index], mesh[3 * index + 1], mesh[3 * index + 2], to: landmarks, index)
        }
        writeIris(model.outputs[4].numbers, FaceMeshIndices.leftIris, FaceMeshIndices.leftLids, placement, landmarks)
        writeIris(model.outputs[5].numbers, FaceMeshIndices.rightIris, FaceMeshIndices.rightLids, placement, landmarks)
        return Double(1 / (1 + expf(-model.outputs[6].numbers[0])))
    }

    /// The mean brightness of the crop that was looked at last, 0…1, from every fourth pixel of every fourth row.
    func luminance() -> Double {
        var (sum, count): (Float, Float) = (0, 0)
        for row in stride(from: 0, to: Self.inputSize, by: 4) {
            for column in stride(from: 0, to: Self.inputSize, by: 4) {
                let pixel = model.input.numbers + 3 * (row * Self.inputSize + column)
                // The weights of ITU-R BT.601.
                sum += 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
                count += 1
            }
        }
        return Double(sum / count)
    }

    /// Overwrites x and y of the lips and the eyes in the mesh by the model's second look at them.
    private func refineMesh() {
        let mesh = model.outputs[0].numbers
        let parts = [FaceMeshIndices.refinedLips, FaceMeshIndices.refinedLeftEye, FaceMeshIndices.refinedRightEye]
        for (part, output) in zip(parts, model.outputs[1...3]) {
            for (position, index) in part.enumerated() {
                mesh[3 * index] = output.numbers[2 * position]
                mesh[3 * index + 1] = output.numbers[2 * position + 1]
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
        let mesh = model.outputs[0].numbers
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
