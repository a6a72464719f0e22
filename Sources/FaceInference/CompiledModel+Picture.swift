import Frames

extension AlignedMemory {
    /// The memory as numbers to read.
    var pointer: UnsafePointer<Float> { UnsafePointer(base.assumingMemoryBound(to: Float.self)) }
}

/// What models that look at a square picture have in common.
extension CompiledModel {
    /// Throws unless the tensors hold that many numbers.
    func expect(input count: Int, outputs counts: [Int]) throws(InferenceError) {
        let stride = MemoryLayout<Float>.stride
        guard input.count >= count * stride, outputs.count == counts.count,
            zip(outputs, counts).allSatisfy({ $0.count >= $1 * stride })
        else { throw .unexpectedModel(model: name, reason: "its tensors have other sizes") }
    }

    /// Fills the input with a region of the frame.
    func sample(_ frame: Frame, _ region: CropRegion, with sampler: CropSampler) throws(InferenceError) {
        let target = input.base.assumingMemoryBound(to: Float.self)
        let transform = region.uprightFromCrop(size: sampler.size)
        guard sampler.sample(frame, through: transform, into: target) else {
            throw .unreadableFrame(reason: "it is \(frame.size) of \(frame.format), which has no pixels to sample")
        }
    }

    /// The mean brightness of the middle of the input picture, from every fourth pixel of every fourth row.
    ///
    /// - Parameters:
    ///   - size: The picture's width and height.
    ///   - shareX: The share of its width that counts.
    ///   - shareY: The share of its height that counts.
    ///   - range: The numbers that stand for black and white.
    /// - Returns: 0…1.
    func luminance(size: Int, shareX: Double, shareY: Double, range: ClosedRange<Float>) -> Double {
        let columns = Self.middle(of: size, share: shareX)
        let rows = Self.middle(of: size, share: shareY)
        let picture = input.pointer
        var sum: Float = 0
        var count: Float = 0
        for row in stride(from: rows.lowerBound, to: rows.upperBound, by: 4) {
            for column in stride(from: columns.lowerBound, to: columns.upperBound, by: 4) {
                let pixel = picture + 3 * (row * size + column)
                // The weights of ITU-R BT.601.
                sum += 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
                count += 1
            }
        }
        guard count > 0 else { return 0 }
        return Double((sum / count - range.lowerBound) / (range.upperBound - range.lowerBound))
    }

    private static func middle(of size: Int, share: Double) -> Range<Int> {
        let margin = Int((Double(size) * (1 - min(max(share, 0), 1)) / 2).rounded())
        return margin..<max(margin, size - margin)
    }
}
