/// An affine map of the plane: x′ = a·x + b·y + tx, y′ = c·x + d·y + ty.
///
/// In double precision, unlike the one that samples pixels: conversions must survive the round trip.
package struct PlaneTransform: Hashable, Sendable {
    /// How x′ grows with x.
    package var a: Double
    /// How x′ grows with y.
    package var b: Double
    /// How y′ grows with x.
    package var c: Double
    /// How y′ grows with y.
    package var d: Double
    /// Where the origin's x goes.
    package var tx: Double
    /// Where the origin's y goes.
    package var ty: Double

    /// Makes a map from its six coefficients.
    package init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    /// The map that leaves everything where it is.
    package static let identity = PlaneTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    /// Where a point goes.
    package func callAsFunction(_ x: Double, _ y: Double) -> SurfacePoint {
        SurfacePoint(x: a * x + b * y + tx, y: c * x + d * y + ty)
    }

    /// How areas grow; negative if the map mirrors, 0 if it cannot be undone.
    package var determinant: Double { a * d - b * c }

    /// The map that does this one first, then the other.
    package func then(_ next: PlaneTransform) -> PlaneTransform {
        PlaneTransform(
            a: next.a * a + next.b * c,
            b: next.a * b + next.b * d,
            c: next.c * a + next.d * c,
            d: next.c * b + next.d * d,
            tx: next.a * tx + next.b * ty + next.tx,
            ty: next.c * tx + next.d * ty + next.ty
        )
    }

    /// The map that undoes this one, which must not have a determinant of 0.
    var inverse: PlaneTransform {
        let k = 1 / determinant
        return PlaneTransform(
            a: d * k,
            b: -b * k,
            c: -c * k,
            d: a * k,
            tx: (b * ty - d * tx) * k,
            ty: (c * tx - a * ty) * k
        )
    }
}
