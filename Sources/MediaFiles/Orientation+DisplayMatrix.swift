import CFFmpeg
import Frames

extension Orientation {
    /// Reads the 3×3 matrix by which a container says how its pictures are to be shown.
    ///
    /// Turns by other angles than 90° are taken for the nearest one. Only the signs matter: a stored point (x, y) is
    /// shown at (m0·x + m3·y, m1·x + m4·y).
    init(displayMatrix matrix: UnsafePointer<Int32>) {
        let (a, b, c, d) = (matrix[0], matrix[1], matrix[3], matrix[4])
        if abs(Int64(a)) >= abs(Int64(b)) {
            self = a >= 0 ? (d >= 0 ? .up : .downMirrored) : (d >= 0 ? .upMirrored : .down)
        } else {
            self = b >= 0 ? (c >= 0 ? .leftMirrored : .right) : (c >= 0 ? .left : .rightMirrored)
        }
    }

    /// The orientation that turns as this one does and then as the next one.
    func then(_ next: Orientation) -> Orientation {
        let (first, second) = (uprightFromStored, next.uprightFromStored)
        let both = (
            a: second.a * first.a + second.b * first.c, b: second.a * first.b + second.b * first.d,
            c: second.c * first.a + second.d * first.c, d: second.c * first.b + second.d * first.d
        )
        return Orientation.allCases.first { $0.uprightFromStored == both } ?? .up
    }

    /// How directions turn: x′ = a·x + b·y, y′ = c·x + d·y, with x to the right and y down.
    private var uprightFromStored: (a: Int, b: Int, c: Int, d: Int) {
        switch self {
        case .up: (1, 0, 0, 1)
        case .upMirrored: (-1, 0, 0, 1)
        case .down: (-1, 0, 0, -1)
        case .downMirrored: (1, 0, 0, -1)
        case .leftMirrored: (0, 1, 1, 0)
        case .right: (0, -1, 1, 0)
        case .rightMirrored: (0, -1, -1, 0)
        case .left: (0, 1, -1, 0)
        }
    }
}
