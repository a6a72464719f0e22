/// Finds the outlines of people in a frame with the model that separates people from the background.
package final class PersonOutline {
    private static let size = 256
    /// The side of the square that the model sees around a place, in heights of the face.
    private static let crop: Float = 4

    private let model: CompiledModel
    private var low = SIMD2<Float>.zero
    private var scale: Float = 1

    /// Loads and compiles the model in about 10 ms. Errors name a file that is missing, damaged or of another version.
    package init(modelDirectory: String?) throws(InferenceError) {
        let sampler = CropSampler(size: Self.size, border: .black, range: 0...1)
        let outputs = [[1, Int32(Self.size), Int32(Self.size), 1]]
        let liteRT = try LiteRT.shared(in: ModelDirectory.find(modelDirectory))
        model = try CompiledModel(.segmentationModel, sampler, outputs: outputs, in: liteRT)
    }

    /// Runs the model on a square of a frame, in pixels of the upright picture. `share` then returns its results.
    package func find(around center: SIMD2<Float>, side: Float, in frame: Frame) throws(InferenceError) {
        try model.run(on: frame, through: CropRegion(center: center, side: side).uprightFromCrop(size: Self.size))
        low = center - side / 2
        scale = side / Float(Self.size)
    }

    /// Returns the model's confidence, 0…1, that a pixel of the upright picture shows a person; 0 outside the square.
    package func share(at pixel: SIMD2<Float>) -> Float {
        let place = (pixel - low) / scale
        guard place.min() >= 0, place.max() < Float(Self.size) else { return 0 }
        return model.outputs[0].numbers[Int(place.y) * Self.size + Int(place.x)]
    }

    /// Returns the fractions, 0…1, of a head's and a body's place that people cover; `bounds` are those of the face.
    /// Only positions where `isWanted` is true count, because the others belong to another person.
    func coverage(
        of bounds: NormalizedRect,
        in frame: Frame,
        where isWanted: (NormalizedPoint) -> Bool
    ) throws(InferenceError) -> (head: Double, body: Double) {
        let size = frame.uprightSize.vector
        let side = Self.crop * Float(bounds.height) * size.y
        // The square is moved into the picture as far as possible.
        let half = size.replacing(with: side, where: size .> side) / 2
        let wanted = SIMD2(Float(bounds.center.x), Float(bounds.center.y + 0.9 * bounds.height)) * size
        try find(around: wanted.clamped(lowerBound: half, upperBound: size - half), side: side, in: frame)
        func covered(_ part: NormalizedRect) -> Double {
            // The part inside the picture, in steps that are fine enough.
            let steps = 32
            let low = pointwiseMax(SIMD2(part.x, part.y), .zero)
            let extent = pointwiseMin(SIMD2(part.x + part.width, part.y + part.height), .one) - low
            guard extent.min() > 0 else { return 0 }
            var sum: Float = 0
            var count: Float = 0
            for step in 0..<steps * steps {
                let place = low + (SIMD2(Double(step % steps), Double(step / steps)) + 0.5) / Double(steps) * extent
                guard isWanted(NormalizedPoint(place)) else { continue }
                sum += share(at: SIMD2<Float>(place) * size)
                count += 1
            }
            return count > 0 ? Double(sum / count) : 0
        }
        let head = covered(bounds.around(widths: 0.7, heights: -0.75...0.6))
        return (head, covered(bounds.around(widths: 1.2, heights: 0.75...2.2)))
    }
}
