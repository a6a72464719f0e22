import Frames

extension Orientation {
    /// Maps the unit square of a stored picture to the unit square of the upright one.
    var uprightFromStored: PlaneTransform {
        switch self {
        case .up: PlaneTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)
        case .upMirrored: PlaneTransform(a: -1, b: 0, c: 0, d: 1, tx: 1, ty: 0)
        case .down: PlaneTransform(a: -1, b: 0, c: 0, d: -1, tx: 1, ty: 1)
        case .downMirrored: PlaneTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: 1)
        case .leftMirrored: PlaneTransform(a: 0, b: 1, c: 1, d: 0, tx: 0, ty: 0)
        case .right: PlaneTransform(a: 0, b: -1, c: 1, d: 0, tx: 1, ty: 0)
        case .rightMirrored: PlaneTransform(a: 0, b: -1, c: -1, d: 0, tx: 1, ty: 1)
        case .left: PlaneTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 1)
        }
    }
}
