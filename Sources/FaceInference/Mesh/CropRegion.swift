import Glibc

/// A square of the upright picture, possibly turned, that a model sees. It is in pixels, with y down and pixel centres
/// at integers. The rotation is in radians, clockwise as seen.
package struct CropRegion: Hashable, Sendable {
    var center: SIMD2<Float>
    var side: Float
    var rotation: Float = 0

    /// Returns the map from pixels of a crop of `size` × `size` pixels to the upright picture. Pixel i of the crop is
    /// at i / size of the side, not at (i + ½) / size, because the models were trained that way.
    func uprightFromCrop(size: Int) -> AffineTransform {
        let step = side / Float(size)
        let (sine, cosine) = (sinf(rotation) * step, cosf(rotation) * step)
        let half = Float(size) / 2
        let (x, y) = (center.x - half * (cosine - sine), center.y - half * (sine + cosine))
        return AffineTransform(a: cosine, b: -sine, c: sine, d: cosine, tx: x, ty: y)
    }

    /// Returns the map from pixels of a model's input to the upright picture. The input has the square's centre, and
    /// its longer side is as long as the square's side.
    func uprightFromInput(width: Int, height: Int) -> AffineTransform {
        let step = side / Float(max(width, height))
        let sine = sinf(rotation) * step
        let cosine = cosf(rotation) * step
        let across = Float(width - 1) / 2
        let down = Float(height - 1) / 2
        let x = center.x - across * cosine + down * sine
        let y = center.y - across * sine - down * cosine
        return AffineTransform(a: cosine, b: -sine, c: sine, d: cosine, tx: x, ty: y)
    }

    /// Converts the region to the same picture enlarged by a factor.
    func scaled(by factor: Float) -> CropRegion {
        CropRegion(center: (center + 0.5) * factor - 0.5, side: side * factor, rotation: rotation)
    }

    /// The square without its rotation, for comparing regions.
    var square: NormalizedRect { NormalizedRect(center: SIMD2<Double>(center), size: .init(repeating: Double(side))) }

    /// Whether two regions belong to the same face: they share more than half of their union, or they are about equally
    /// large and their centres are close. A smaller face in front of a larger one is thus another face.
    func isSameFace(as other: CropRegion) -> Bool {
        if square.intersectionOverUnion(other.square) > 0.5 { return true }
        guard min(side, other.side) > Self.leastRatio * max(side, other.side) else { return false }
        return (center - other.center).magnitude.max() < max(side, other.side) / 4
    }

    /// The minimum ratio of the smaller to the larger side of two regions of the same face.
    private static let leastRatio: Float = 0.55
}

extension CropRegion {
    /// The side of the landmark model's crop as a multiple of the larger side of the face's box.
    static let margin: Float = 1.5

    /// Makes the region in which the landmark model looks for a face that the detector found.
    init(around detection: FaceDetection) {
        let outline = detection.outline
        self.init(center: outline.center, side: Self.margin * outline.size.max(), rotation: detection.roll)
    }

    /// Makes the region in which the landmark model looks, in the next frame, for the face with these points.
    package init(around points: FaceLandmarks) {
        let (low, high) = points.box
        let eyes = points[FaceMeshIndices.rightEyeOuterCorner] - points[FaceMeshIndices.leftEyeOuterCorner]
        let side = Self.margin * (high - low).max()
        self.init(center: (low + high) / 2, side: side, rotation: atan2f(eyes.y, eyes.x))
    }
}

extension NormalizedRect {
    /// Returns the width and height of this rectangle in pixels of a picture of this size.
    func extent(in size: FrameSize) -> SIMD2<Float> { SIMD2(Float(width), Float(height)) * size.vector }
}

extension FrameSize {
    var vector: SIMD2<Float> { SIMD2(Float(width), Float(height)) }

    /// Converts a position in pixels to fractions of the picture. Pixel 0 has its centre at 0 and its edge at −½.
    func share(of pixel: SIMD2<Float>) -> NormalizedPoint {
        NormalizedPoint(x: (Double(pixel.x) + 0.5) / Double(width), y: (Double(pixel.y) + 0.5) / Double(height))
    }

    /// Converts an axis-aligned rectangle in pixels to fractions of the picture.
    func share(of box: (low: SIMD2<Float>, high: SIMD2<Float>)) -> NormalizedRect {
        NormalizedRect(from: share(of: box.low).vector, to: share(of: box.high).vector)
    }
}
