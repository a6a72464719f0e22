/// The values of a grid's cells, read and written in vectors of four. Their number is a multiple of four.
final class Cells {
    typealias Vector = SIMD4<Float>

    private let vectors: UnsafeMutablePointer<Vector>
    /// The indices of the vectors.
    let indices: Range<Int>

    init(count: Int, repeating value: Float = 0) {
        precondition(count % Vector.scalarCount == 0, "cells are handled in vectors")
        indices = 0..<count / Vector.scalarCount
        vectors = .allocate(capacity: indices.count)
        vectors.initialize(repeating: Vector(repeating: value), count: indices.count)
    }

    deinit { vectors.deallocate() }

    @inline(__always) subscript(index: Int) -> Vector {
        get { vectors[index] }
        set { vectors[index] = newValue }
    }

    var base: UnsafeMutablePointer<Float> { UnsafeMutableRawPointer(vectors).assumingMemoryBound(to: Float.self) }
    var numbers: UnsafeMutableBufferPointer<Float> { .init(start: base, count: Vector.scalarCount * indices.count) }

    /// Moves each value towards that of `others` by a fraction of the difference.
    func approach(_ others: Cells, share: Float) {
        for index in indices { self[index] += (others[index] - self[index]) * share }
    }

    func copy(_ others: Cells) { for index in indices { self[index] = others[index] } }
}

extension SIMD where Scalar == Float {
    var magnitude: Self { replacing(with: -self, where: self .< 0) }
    var length: Float { (self * self).sum().squareRoot() }
}

/// Returns the value below which a fraction of some non-negative numbers lies, with an error of up to 3 %.
///
/// It uses a histogram with 32 steps per doubling from 2⁻¹² to 2²⁰, which is above the square of any difference of grey
/// levels. That takes a tenth of the time of sorting.
func quantile(_ share: Double, of numbers: some Collection<Float>) -> Float {
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 32 * 32) { counts in
        counts.initialize(repeating: 0)
        // The bits of a number that give its step: the exponent and five bits of the significand.
        let shift: UInt32 = 23 - 5
        let lowest = Float(sign: .plus, exponent: -12, significand: 1).bitPattern >> shift
        for number in numbers {
            counts[min(Int(max(number.bitPattern >> shift, lowest) - lowest), counts.count - 1)] &+= 1
        }
        var rank = Int(share * Double(numbers.count))
        for (step, count) in counts.enumerated() {
            rank -= Int(count)
            // The middle of the step.
            if rank < 0 { return Float(bitPattern: (UInt32(step) + lowest) << shift | 1 << (shift - 1)) }
        }
        return 0
    }
}
