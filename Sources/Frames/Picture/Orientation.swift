/// The turn that makes a frame upright: one of the eight values of EXIF's Orientation tag.
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// Unchanged.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the diagonal from the top left.
    case leftMirrored = 5
    /// Needs a turn by 90° clockwise.
    case right = 6
    /// Mirrored along the diagonal from the top right.
    case rightMirrored = 7
    /// Needs a turn by 90° counter-clockwise.
    case left = 8

    /// Whether width and height are exchanged.
    public var swapsAxes: Bool { rawValue >= 5 }
    /// The orientation that also mirrors the upright picture left to right.
    public var mirrored: Orientation { then(.upMirrored) }

    package func then(_ next: Orientation) -> Orientation {
        let both = uprightFromStored.then(next.uprightFromStored)
        return Orientation.allCases.first { $0.uprightFromStored == both } ?? .up
    }

    /// The matrix from directions of the stored picture to those of the upright one: x′ = a·x + b·y, y′ = c·x + d·y,
    /// with x to the right and y down.
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

    /// The size of the upright picture made from a stored one.
    public func uprightSize(of stored: FrameSize) -> FrameSize {
        swapsAxes ? FrameSize(width: stored.height, height: stored.width) : stored
    }

    /// Maps pixel positions of the upright picture to those of the stored one, pixel centres at integers.
    package func storedFromUpright(stored: FrameSize) -> AffineTransform {
        let (a, b, c, d) = turn
        // The inverse is the transposed matrix.
        return .turn(by: (a, c, b, d), within: (Float(stored.width - 1), Float(stored.height - 1)))
    }

    /// Maps the unit square of a stored picture to the unit square of the upright one.
    package var uprightFromStored: AffineMap<Double> { .turn(by: turn, within: (1, 1)) }
}

extension AffineMap {
    /// Makes a turn by right angles or a mirroring, moved so that the result begins at 0, with its ends at `end`.
    fileprivate static func turn(by turn: (a: Int, b: Int, c: Int, d: Int), within end: (x: Scalar, y: Scalar)) -> Self
    {
        let (tx, ty) = (turn.a + turn.b < 0 ? end.x : 0, turn.c + turn.d < 0 ? end.y : 0)
        return Self(a: Scalar(turn.a), b: Scalar(turn.b), c: Scalar(turn.c), d: Scalar(turn.d), tx: tx, ty: ty)
    }
}
