/// How a frame must be turned to be upright: the eight values of EXIF's Orientation tag.
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// As it is.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the diagonal from the top left.
    case leftMirrored = 5
    /// Must be turned by 90° clockwise.
    case right = 6
    /// Mirrored along the diagonal from the top right.
    case rightMirrored = 7
    /// Must be turned by 90° counter-clockwise.
    case left = 8

    /// Whether width and height change places.
    public var swapsAxes: Bool { rawValue >= 5 }

    /// The orientation that also mirrors the upright picture left to right.
    public var mirrored: Orientation {
        switch self {
        case .up: .upMirrored
        case .upMirrored: .up
        case .down: .downMirrored
        case .downMirrored: .down
        case .leftMirrored: .right
        case .right: .leftMirrored
        case .rightMirrored: .left
        case .left: .rightMirrored
        }
    }

    /// The size of the upright picture made from a stored one.
    public func uprightSize(of stored: FrameSize) -> FrameSize {
        swapsAxes ? FrameSize(width: stored.height, height: stored.width) : stored
    }

    /// Maps pixel positions of the upright picture to those of the stored one, pixel centres at integers.
    package func storedFromUpright(stored: FrameSize) -> AffineTransform {
        let right = Float(stored.width - 1)
        let bottom = Float(stored.height - 1)
        return switch self {
        case .up: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)
        case .upMirrored: AffineTransform(a: -1, b: 0, c: 0, d: 1, tx: right, ty: 0)
        case .down: AffineTransform(a: -1, b: 0, c: 0, d: -1, tx: right, ty: bottom)
        case .downMirrored: AffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: bottom)
        case .leftMirrored: AffineTransform(a: 0, b: 1, c: 1, d: 0, tx: 0, ty: 0)
        case .right: AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: bottom)
        case .rightMirrored: AffineTransform(a: 0, b: -1, c: -1, d: 0, tx: right, ty: bottom)
        case .left: AffineTransform(a: 0, b: -1, c: 1, d: 0, tx: right, ty: 0)
        }
    }
}

/// A map of the plane: x′ = a·x + b·y + tx, y′ = c·x + d·y + ty.
package struct AffineTransform: Hashable, Sendable {
    /// How x′ grows with x.
    package var a: Float
    /// How x′ grows with y.
    package var b: Float
    /// How y′ grows with x.
    package var c: Float
    /// How y′ grows with y.
    package var d: Float
    /// Where the origin's x goes.
    package var tx: Float
    /// Where the origin's y goes.
    package var ty: Float

    /// Makes a map from its six coefficients.
    package init(a: Float, b: Float, c: Float, d: Float, tx: Float, ty: Float) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    /// Where a point goes.
    package func callAsFunction(_ x: Float, _ y: Float) -> (x: Float, y: Float) {
        (a * x + b * y + tx, c * x + d * y + ty)
    }

    /// The map that does this one first, then the other.
    package func then(_ next: AffineTransform) -> AffineTransform {
        AffineTransform(
            a: next.a * a + next.b * c,
            b: next.a * b + next.b * d,
            c: next.c * a + next.d * c,
            d: next.c * b + next.d * d,
            tx: next.a * tx + next.b * ty + next.tx,
            ty: next.c * tx + next.d * ty + next.ty
        )
    }
}
