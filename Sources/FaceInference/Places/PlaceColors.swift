/// The upright picture of a frame as 144 × 144 colours, whatever its aspect ratio: enough to tell where people are.
/// Each cell is one bilinear sample, because a mean of all its pixels would take several times as long.
struct PlaceColors {
    static let side = 144
    static let count = side * side
    /// A constant that is added to colours before ratios are taken, so that dark cells do not give extreme ratios.
    private static let offset: Float = 8

    typealias Color = SIMD4<UInt8>

    /// The cells, in rows from the top, each as red, green, blue and 0.
    private(set) var cells = [Color](repeating: .zero, count: count)

    /// Temporary memory that all colour grids share.
    final class Workspace {
        fileprivate let sampler = CropSampler(size: PlaceColors.side, border: .replicate, range: 0...255)
        fileprivate var numbers = [Float](repeating: 0, count: 3 * PlaceColors.count)
        fileprivate var ratios: [Float] = []
    }

    /// Reads the colours of a frame. Returns false and changes nothing if the frame has no readable pixels.
    mutating func sample(_ frame: Frame, _ workspace: Workspace) -> Bool {
        let step = frame.uprightSize.vector / Float(Self.side)
        let first = 0.5 * step - 0.5
        let transform = AffineTransform(a: step.x, b: 0, c: 0, d: step.y, tx: first.x, ty: first.y)
        guard workspace.sampler.sample(frame, through: transform, into: &workspace.numbers) else { return false }
        workspace.numbers.withUnsafeBufferPointer { numbers in
            // One by one, because converting a whole vector takes fourteen times as long.
            func level(_ index: Int) -> UInt8 { UInt8(min(max(numbers[index] + 0.5, 0), 255)) }
            cells.withUnsafeMutableBufferPointer { cells in
                for index in cells.indices {
                    cells[index] = Color(level(3 * index), level(3 * index + 1), level(3 * index + 2), 0)
                }
            }
        }
        return true
    }

    /// Moves each cell an eighth of the way to that of `others` if both, after `gain`, differ by at most `limit`.
    mutating func approach(_ others: PlaceColors, gain: SIMD4<Float>, limit: Float) {
        for index in cells.indices where !differs(index, from: others, gain: gain, limit: limit) {
            let old = SIMD4<Int16>(truncatingIfNeeded: cells[index])
            let new = SIMD4<Int16>(truncatingIfNeeded: others.cells[index])
            cells[index] = Color(truncatingIfNeeded: (old &* 7 &+ new &+ 4) &>> 3)
        }
    }

    /// Returns the gains that make these colours like others: for each channel the median ratio of the wanted cells.
    func gain(to others: PlaceColors, _ workspace: Workspace, where isWanted: (Int) -> Bool) -> SIMD4<Float> {
        var gain = SIMD4<Float>(repeating: 1)
        for channel in 0..<3 {
            workspace.ratios.removeAll(keepingCapacity: true)
            // Every fifth cell is enough, and hits all columns.
            for index in stride(from: 0, to: Self.count, by: 5) where isWanted(index) {
                let (newer, older) = (Float(others.cells[index][channel]), Float(cells[index][channel]))
                workspace.ratios.append((newer + Self.offset) / (older + Self.offset))
            }
            // A median of fewer is meaningless.
            guard workspace.ratios.count > 40 else { return gain }
            gain[channel] = min(max(quantile(0.5, of: workspace.ratios), 0.5), 2)
        }
        return gain
    }

    /// Whether a cell of `others` differs from the same cell here, after the gain, by more than `limit` in a channel.
    @inline(__always)
    func differs(_ index: Int, from others: PlaceColors, gain: SIMD4<Float>, limit: Float) -> Bool {
        let expected = (SIMD4<Float>(cells[index]) + Self.offset) * gain - Self.offset
        return (SIMD4<Float>(others.cells[index]) - expected).magnitude.max() > limit
    }

    /// Calls `body` with the index of each cell that a part of the picture covers.
    static func forEachCell(of rect: NormalizedRect, _ body: (Int) -> Void) {
        let low = rect.origin
        let high = rect.origin + rect.size
        let end = SIMD2(repeating: Double(side))
        // The part may be NaN where a model saw garbage.
        guard (low + high).sum().isFinite else { return }
        let first = (low * end).rounded(.toNearestOrAwayFromZero).clamped(lowerBound: .zero, upperBound: end)
        let last = (high * end).rounded(.toNearestOrAwayFromZero).clamped(lowerBound: first, upperBound: end)
        for row in Int(first.y)..<Int(last.y) {
            for column in Int(first.x)..<Int(last.x) { body(row * side + column) }
        }
    }
}

extension NormalizedRect {
    /// The part of the picture that shows head and shoulders, for the bounds of a face.
    var headAndShoulders: NormalizedRect { around(widths: 1.1, heights: -0.7...2.1) }

    /// Returns the part of the picture around a face. It reaches `widths` face widths to each side of the face's
    /// centre, and covers the range `heights` below the centre, in face heights.
    func around(widths: Double, heights: ClosedRange<Double>) -> NormalizedRect {
        NormalizedRect(
            from: [center.x - widths * width, center.y + heights.lowerBound * height],
            to: [center.x + widths * width, center.y + heights.upperBound * height]
        )
    }
}
