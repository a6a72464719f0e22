/// A fixed number of numbers, multiples of eight, that are read and written in vectors of eight.
final class FloatCells {
    let base: UnsafeMutablePointer<Float>
    let count: Int

    init(count: Int) {
        precondition(count % 8 == 0, "cells are handled in vectors of eight")
        self.count = count
        base = .allocate(capacity: count)
        base.initialize(repeating: 0, count: count)
    }

    deinit { base.deallocate() }

    /// Eight numbers: the block with that index after a start.
    @inline(__always)
    subscript(start: Int, block: Int) -> SIMD8<Float> {
        get { UnsafeRawPointer(base + (start + 8 * block)).loadUnaligned(as: SIMD8<Float>.self) }
        set { UnsafeMutableRawPointer(base + (start + 8 * block)).storeBytes(of: newValue, as: SIMD8<Float>.self) }
    }

    /// Subtracts the same number of others.
    func subtract(_ other: FloatCells) {
        for block in 0..<count / 8 { self[0, block] -= other[0, block] }
    }

    /// The mean of a rectangle of a square of cells.
    func mean(columns: Range<Int>, rows: Range<Int>, side: Int) -> Float {
        var sum: Float = 0
        for row in rows {
            for column in columns { sum += base[row * side + column] }
        }
        return sum / Float(columns.count * rows.count)
    }
}

/// Finds quantiles of numbers that are not negative, to 3 % of their value, by counting them in steps of that width.
struct QuantileMeter {
    /// Steps per doubling.
    private static let steps = 32
    /// Where the bits of a number begin that say its step.
    private static let shift: UInt32 = 23 - 5
    /// The first step, 2⁻¹²; everything below counts as that.
    private static let lowest = Float(sign: .plus, exponent: -12, significand: 1).bitPattern >> shift
    /// Up to 2²⁰, more than the square of any difference of grey levels.
    private static let count = 32 * steps

    private var counts = [UInt16](repeating: 0, count: count)

    /// The value below which that share of `count` numbers lies.
    mutating func value(at share: Double, of numbers: UnsafePointer<Float>, count: Int) -> Float {
        clear()
        for index in 0..<count { counts[Self.step(numbers[index])] &+= 1 }
        return value(at: Int(share * Double(count)))
    }

    /// The value below which that share of the numbers with those indices lies.
    mutating func value(at share: Double, of numbers: UnsafePointer<Float>, indices: [UInt16]) -> Float {
        clear()
        for index in indices { counts[Self.step(numbers[Int(index)])] &+= 1 }
        return value(at: Int(share * Double(indices.count)))
    }

    private mutating func clear() {
        for index in counts.indices { counts[index] = 0 }
    }

    @inline(__always)
    private static func step(_ number: Float) -> Int {
        let bits = number.bitPattern >> shift
        return bits <= lowest ? 0 : min(Int(bits - lowest), count - 1)
    }

    private func value(at rank: Int) -> Float {
        var below = 0
        for (step, count) in counts.enumerated() {
            below += Int(count)
            // The middle of the step.
            if below > rank {
                return Float(bitPattern: ((UInt32(step) + Self.lowest) << Self.shift) | 1 << (Self.shift - 1))
            }
        }
        return 0
    }
}

/// The normal equations of a least-squares fit of five numbers.
struct LeastSquares {
    /// One number of eight equations for each of the five that are looked for.
    typealias Effects = InlineArray<5, SIMD8<Float>>
    typealias Solution = InlineArray<5, Float>

    /// The lower half of the matrix by rows, still to be added up.
    private var sums = InlineArray<15, SIMD8<Float>>(repeating: .zero)
    /// The lower half of its Cholesky factor by rows.
    private var factor = InlineArray<15, Float>(repeating: 0)

    /// Adds eight equations with weights.
    @inline(__always)
    mutating func add(_ effects: Effects, weights: SIMD8<Float>) {
        var index = 0
        for row in 0..<5 {
            let weighted = effects[row] * weights
            for column in 0...row {
                sums[index] += weighted * effects[column]
                index += 1
            }
        }
    }

    /// Makes the equations ready to be solved, with a penalty for the square of each number.
    mutating func factorize(penalties: Solution) {
        for row in 0..<5 {
            for column in 0...row {
                var value = sums[Self.index(row, column)].sum() + (row == column ? penalties[row] : 0)
                for earlier in 0..<column {
                    value -= factor[Self.index(row, earlier)] * factor[Self.index(column, earlier)]
                }
                factor[Self.index(row, column)] =
                    row == column ? value.squareRoot() : value / factor[Self.index(column, column)]
            }
        }
    }

    /// Solves the equations for the sums of the products of effects and measured numbers.
    func solve(_ sums: Solution) -> Solution {
        var result = sums
        for row in 0..<5 {
            for column in 0..<row { result[row] -= factor[Self.index(row, column)] * result[column] }
            result[row] /= factor[Self.index(row, row)]
        }
        for row in (0..<5).reversed() {
            for later in row + 1..<5 { result[row] -= factor[Self.index(later, row)] * result[later] }
            result[row] /= factor[Self.index(row, row)]
        }
        return result
    }

    @inline(__always)
    private static func index(_ row: Int, _ column: Int) -> Int { row * (row + 1) / 2 + column }
}
