import Glibc

/// Finds the 478 landmarks of a face in a region of a frame.
package final class LandmarkModel {
    /// The width and height of the input in pixels.
    static let inputSize = 192

    private let model: CompiledModel
    /// How often the model has run.
    package private(set) var runs = 0

    package init(_ liteRT: LiteRT) throws(InferenceError) {
        let sampler = CropSampler(size: Self.inputSize, border: .replicate, range: 0...1)
        // The mesh, then lips, left and right eye, left and right iris (the picture's), then the presence.
        let counts: [Int32] = [1404, 160, 142, 142, 10, 10, 1]
        let outputs = counts.map { [1, 1, 1, $0] }
        let operators = CustomOperator.all(liteRT)
        model = try CompiledModel(.landmarkModel, sampler, outputs: outputs, operators: operators, in: liteRT)
    }

    /// Writes a region's landmarks to `face`. Returns the model's confidence, 0…1, that there is a face.
    package func find(_ face: FaceLandmarks, in frame: Frame, region: CropRegion) throws(InferenceError) -> Double {
        // From the model's coordinates, pixels of its input, to the upright picture.
        let transform = region.uprightFromCrop(size: Self.inputSize)
        try model.run(on: frame, through: transform)
        runs += 1
        let mesh = model.outputs[0].numbers
        // The refined points of lips and eyes have no depth, and keep that of the mesh.
        for (part, output) in zip(MeshRegion.all, model.outputs[1...3]) {
            for (position, index) in part.points.enumerated() {
                mesh[3 * index] = output.numbers[2 * position]
                mesh[3 * index + 1] = output.numbers[2 * position + 1]
            }
        }
        let depthScale = region.side / Float(Self.inputSize)
        func write(_ x: Float, _ y: Float, _ z: Float, _ index: Int) {
            face[index] = PixelLandmark(transform(SIMD2(x, y)), z * depthScale)
        }
        for index in 0..<FaceMeshIndices.meshCount {
            write(mesh[3 * index], mesh[3 * index + 1], mesh[3 * index + 2], index)
        }
        for (eye, output) in zip(FaceMeshIndices.eyes, model.outputs[4...5]) {
            // The iris gets the mean depth of its lids, because the model gives it none.
            let depth = eye.lids.reduce(0) { $0 + mesh[3 * $1 + 2] } / Float(eye.lids.count)
            for (place, index) in eye.iris.enumerated() {
                write(output.numbers[2 * place], output.numbers[2 * place + 1], depth, index)
            }
        }
        return Double(1 / (1 + expf(-model.outputs[6].numbers[0])))
    }

    /// Returns the mean brightness, 0…1, of the middle of the last crop: the face without its surroundings.
    func luminance() -> Double {
        let middle = Self.inputSize / 4...3 * Self.inputSize / 4
        return model.luminance(columns: middle, rows: middle)
    }
}
