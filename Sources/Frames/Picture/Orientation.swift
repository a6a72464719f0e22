/// The turn or mirroring that makes a stored picture upright: one of the eight values of EXIF's Orientation tag.
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// The stored picture is upright.
    case up = 1
    /// The stored picture must be mirrored left to right.
    case upMirrored = 2
    /// The stored picture must be turned by 180°.
    case down = 3
    /// The stored picture must be mirrored top to bottom.
    case downMirrored = 4
    /// The stored picture must be mirrored across the diagonal from the top left to the bottom right.
    case leftMirrored = 5
    /// The stored picture must be turned by 90° clockwise.
    case right = 6
    /// The stored picture must be mirrored across the diagonal from the top right to the bottom left.
    case rightMirrored = 7
    /// The stored picture must be turned by 90° counter-clockwise.
    case left = 8

    /// Whether the upright picture's width is the stored picture's height, and vice versa.
    public var swapsAxes: Bool { rawValue >= 5 }
    /// The orientation that turns the stored picture as this one does, and then mirrors it left to right.
    public var mirrored: Orientation { then(.upMirrored) }

    package func then(_ next: Orientation) -> Orientation {
        let both = uprightFromStored.then(next.uprightFromStored)
        return Orientation.allCases.first { $0.uprightFromStored == both } ?? .up
    }

    /// The matrix that turns stored into upright directions (y points down): x′ = a·x + b·y, y′ = c·x + d·y.
    private var turn: (a: Int, b: Int, c: Int, d: Int) {
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

    /// Returns the size of the upright picture for the size of a stored one.
    public func uprightSize(of stored: FrameSize) -> FrameSize {
        swapsAxes ? FrameSize(width: stored.height, height: stored.width) : stored
    }

    /// Returns the map from pixel positions (centres at integers) in the upright picture to those in the stored one.
    package func storedFromUpright(stored: FrameSize) -> AffineTransform {
        let (a, b, c, d) = turn
        // The inverse is the transposed matrix.
        return .turn(by: (a, c, b, d), within: (Float(stored.width - 1), Float(stored.height - 1)))
    }

    /// The map from a stored picture to the upright one, both in coordinates from 0 to 1.
    package var uprightFromStored: AffineMap<Double> { .turn(by: turn, within: (1, 1)) }
}

extension AffineMap {
    /// Makes a map from an orientation's matrix, shifted so that mapped coordinates run from 0 to `end`.
    fileprivate static func turn(by turn: (a: Int, b: Int, c: Int, d: Int), within end: (x: Scalar, y: Scalar)) -> Self
    {
        let (tx, ty) = (turn.a + turn.b < 0 ? end.x : 0, turn.c + turn.d < 0 ? end.y : 0)
        return Self(a: Scalar(turn.a), b: Scalar(turn.b), c: Scalar(turn.c), d: Scalar(turn.d), tx: tx, ty: ty)
    }
}
