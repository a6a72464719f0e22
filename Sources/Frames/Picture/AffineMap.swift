/// An affine map between pixel positions.
package typealias AffineTransform = AffineMap<Float>

/// An affine map of the plane: x′ = a·x + b·y + tx, y′ = c·x + d·y + ty.
package struct AffineMap<Scalar: BinaryFloatingPoint & Sendable>: Hashable, Sendable {
    package var a, b, c, d, tx, ty: Scalar

    @inlinable
    package init(a: Scalar, b: Scalar, c: Scalar, d: Scalar, tx: Scalar, ty: Scalar) {
        (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
    }

    package static var identity: Self { Self(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0) }

    /// Maps a point.
    @inlinable
    package func callAsFunction(_ x: Scalar, _ y: Scalar) -> (x: Scalar, y: Scalar) {
        (a * x + b * y + tx, c * x + d * y + ty)
    }

    /// Returns the map that applies this map first, then `next`.
    package func then(_ next: Self) -> Self {
        Self(
            a: next.a * a + next.b * c,
            b: next.a * b + next.b * d,
            c: next.c * a + next.d * c,
            d: next.c * b + next.d * d,
            tx: next.a * tx + next.b * ty + next.tx,
            ty: next.c * tx + next.d * ty + next.ty
        )
    }

    /// The factor by which areas grow; negative if the map mirrors, 0 if it cannot be inverted.
    package var determinant: Scalar { a * d - b * c }

    /// The inverse map. The determinant must not be 0.
    package var inverse: Self {
        let k = 1 / determinant
        return Self(a: d * k, b: -b * k, c: -c * k, d: a * k, tx: (b * ty - d * tx) * k, ty: (c * tx - a * ty) * k)
    }
}

extension AffineTransform {
    /// Maps a point. Not generic, for speed: other modules do not specialise generic functions.
    @inlinable
    package func callAsFunction(_ point: SIMD2<Float>) -> SIMD2<Float> {
        SIMD2(a * point.x + b * point.y + tx, c * point.x + d * point.y + ty)
    }
}
