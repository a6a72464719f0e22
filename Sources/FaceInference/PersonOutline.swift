import FaceMetadata
package import Frames

/// Where in a picture a person is, by the model that separates people from what is behind them.
package final class PersonOutline {
    private static let size = 256
    /// The side of what the model sees of a place, in heights of the face.
    private static let crop: Float = 4

    private let model: CompiledModel
    private let sampler = CropSampler(size: PersonOutline.size, border: .black, range: 0...1)
    private var low = SIMD2<Float>.zero
    private var scale: Float = 1

    /// Loads and compiles the model: some 10 ms. An error names the file that is missing, damaged or of another version.
    package init(modelDirectory: String?) throws(InferenceError) {
        let size = Int32(Self.size)
        let liteRT = try LiteRT.shared(in: ModelDirectory.find(modelDirectory))
        let (input, outputs) = ([1, size, size, 3], [[1, size, size, 1]])
        model = try CompiledModel(.segmentationModel, input: input, outputs: outputs, in: liteRT)
    }

    /// Finds people in a square of a frame, in pixels of the upright picture.
    package func find(around center: SIMD2<Float>, side: Float, in frame: Frame) throws(InferenceError) {
        try model.sample(frame, CropRegion(center: center, side: side, rotation: 0), with: sampler)
        try model.run()
        low = center - side / 2
        scale = side / Float(Self.size)
    }

    /// How sure the model is that a pixel belongs to a person, 0…1; 0 outside of the square.
    package func share(at pixel: SIMD2<Float>) -> Float {
        let place = (pixel - low) / scale
        guard place.min() >= 0, place.max() < Float(Self.size) else { return 0 }
        return model.outputs[0].numbers[Int(place.y) * Self.size + Int(place.x)]
    }

    /// The shares of the places where a face and the body below it were that a person covers, 0…1, of the positions that are wanted:
    /// others belong to somebody else.
    func coverage(
        of bounds: NormalizedRect,
        in frame: Frame,
        where isWanted: (NormalizedPoint) -> Bool
    ) throws(InferenceError) -> (head: Double, body: Double) {
        let size = SIMD2(Float(frame.uprightSize.width), Float(frame.uprightSize.height))
        let side = Self.crop * Float(bounds.height) * size.y
        // As much as possible of the square inside the picture.
        let half = size.replacing(with: side, where: size .> side) / 2
        let wanted = SIMD2(Float(bounds.center.x), Float(bounds.center.y + 0.9 * bounds.height)) * size
        try find(around: wanted.clamped(lowerBound: half, upperBound: size - half), side: side, in: frame)
        func covered(_ part: NormalizedRect) -> Double {
            // The part of it that is inside the picture, in steps that are fine enough.
            let (steps, left, top) = (32, max(0, part.x), max(0, part.y))
            let (width, height) = (min(1, part.x + part.width) - left, min(1, part.y + part.height) - top)
            guard width > 0, height > 0 else { return 0 }
            var (sum, count): (Float, Float) = (0, 0)
            for step in 0..<steps * steps {
                let x = left + (Double(step % steps) + 0.5) / Double(steps) * width
                let y = top + (Double(step / steps) + 0.5) / Double(steps) * height
                guard isWanted(NormalizedPoint(x: x, y: y)) else { continue }
                sum += share(at: SIMD2(Float(x), Float(y)) * size)
                count += 1
            }
            return count > 0 ? Double(sum / count) : 0
        }
        let head = covered(bounds.around(widths: 0.7, heights: -0.75...0.6))
        return (head, covered(bounds.around(widths: 1.2, heights: 0.75...2.2)))
    }
}
