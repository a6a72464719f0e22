import Glibc

/// A smooth displacement of the plane that has given values at given points: the one that bends least.
struct ThinPlateSpline {
    private var points: [(x: Double, y: Double)]
    /// The weight in the displacement of each point, and then of the terms 1, x and y.
    private var weights: [(x: Double, y: Double)]

    /// Makes the displacement with `values` at `points`, which must not all lie on one line.
    ///
    /// Nil if the points do not determine it: two at the same place.
    init?(points: [(x: Double, y: Double)], values: [(x: Double, y: Double)]) {
        let count = points.count
        var rows = [[Double]](repeating: [Double](repeating: 0, count: count + 5), count: count + 3)
        for i in 0..<count {
            for j in 0..<count { rows[i][j] = Self.kernel(points[i].x - points[j].x, points[i].y - points[j].y) }
            let affine = [1, points[i].x, points[i].y]
            for (k, value) in affine.enumerated() {
                rows[i][count + k] = value
                rows[count + k][i] = value
            }
            (rows[i][count + 3], rows[i][count + 4]) = values[i]
        }
        guard let solution = Self.solve(&rows) else { return nil }
        self.points = points
        weights = solution
    }

    /// The displacement at a point.
    func callAsFunction(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        points.withUnsafeBufferPointer { points in
            weights.withUnsafeBufferPointer { weights in
                let constant = weights[points.count]
                let alongX = weights[points.count + 1]
                let alongY = weights[points.count + 2]
                var sumX = constant.x + alongX.x * x + alongY.x * y
                var sumY = constant.y + alongX.y * x + alongY.y * y
                for index in 0..<points.count {
                    let bend = Self.kernel(x - points[index].x, y - points[index].y)
                    sumX += weights[index].x * bend
                    sumY += weights[index].y * bend
                }
                return (sumX, sumY)
            }
        }
    }

    private static func kernel(_ dx: Double, _ dy: Double) -> Double {
        let square = dx * dx + dy * dy
        return square > 0 ? square * log(square) : 0
    }

    /// Gaussian elimination with the largest pivot; the last two columns are the right sides.
    private static func solve(_ rows: inout [[Double]]) -> [(x: Double, y: Double)]? {
        let count = rows.count
        for column in 0..<count {
            guard let pivot = (column..<count).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }),
                abs(rows[pivot][column]) > 1e-9
            else { return nil }
            rows.swapAt(column, pivot)
            let top = rows[column]
            for row in column + 1..<count where rows[row][column] != 0 {
                let factor = rows[row][column] / top[column]
                for index in column..<count + 2 { rows[row][index] -= factor * top[index] }
            }
        }
        var solution = [(x: Double, y: Double)](repeating: (0, 0), count: count)
        for row in stride(from: count - 1, through: 0, by: -1) {
            var (x, y) = (rows[row][count], rows[row][count + 1])
            for index in row + 1..<count {
                x -= rows[row][index] * solution[index].x
                y -= rows[row][index] * solution[index].y
            }
            solution[row] = (x / rows[row][row], y / rows[row][row])
        }
        return solution
    }
}
