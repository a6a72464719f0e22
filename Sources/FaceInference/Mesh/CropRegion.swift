import Glibc

/// A square of the upright picture, perhaps turned, that a model sees: in pixels, y down, pixel centres at integers;
/// the rotation in radians, clockwise as seen.
package struct CropRegion: Hashable, Sendable {
    var center: SIMD2<Float>
    var side: Float
    var rotation: Float = 0

    /// Maps pixels of a crop of `size`² to the upright picture.
    ///
    /// Pixel i of the crop is at i / size of the side, not at (i + ½) / size: the models were trained so.
    func uprightFromCrop(size: Int) -> AffineTransform {
        let step = side / Float(size)
        let (sine, cosine) = (sinf(rotation) * step, cosf(rotation) * step)
        let half = Float(size) / 2
        let (x, y) = (center.x - half * (cosine - sine), center.y - half * (sine + cosine))
        return AffineTransform(a: cosine, b: -sine, c: sine, d: cosine, tx: x, ty: y)
    }

    /// Maps the centres of the pixels of a detector's input, as long as this square, to the upright picture.
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

    /// The region of the same part of the scene in a picture that is larger by a factor.
    func scaled(by factor: Float) -> CropRegion {
        CropRegion(center: (center + 0.5) * factor - 0.5, side: side * factor, rotation: rotation)
    }

    /// The upright square with the same centre and side, for comparing regions.
    var square: NormalizedRect { NormalizedRect(center: SIMD2<Double>(center), size: .init(repeating: Double(side))) }

    /// Whether two regions are about the same face: they share more than half of their union, or they are about equally
    /// large and one's centre is in the inner half of the other. A smaller face before a larger one is another face.
    func isSameFace(as other: CropRegion) -> Bool {
        if square.intersectionOverUnion(other.square) > 0.5 { return true }
        guard min(side, other.side) > Self.leastRatio * max(side, other.side) else { return false }
        return (center - other.center).magnitude.max() < max(side, other.side) / 4
    }

    /// The least ratio of the sides of two regions of the same face.
    private static let leastRatio: Float = 0.55
}

extension CropRegion {
    /// The side of the landmark model's crop as a multiple of the face's box.
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
    /// The width and the height in pixels of this rectangle of shares, in a picture of that size.
    func extent(in size: FrameSize) -> SIMD2<Float> { SIMD2(Float(width), Float(height)) * size.vector }
}

extension FrameSize {
    var vector: SIMD2<Float> { SIMD2(Float(width), Float(height)) }

    /// The point, in shares of the picture, of a position in pixels, whose centres are at integers: the picture's edge
    /// is half a pixel outside of them.
    func share(of pixel: SIMD2<Float>) -> NormalizedPoint {
        NormalizedPoint(x: (Double(pixel.x) + 0.5) / Double(width), y: (Double(pixel.y) + 0.5) / Double(height))
    }

    /// The rectangle, in shares of the picture, of an upright rectangle in pixels.
    func share(of box: (low: SIMD2<Float>, high: SIMD2<Float>)) -> NormalizedRect {
        NormalizedRect(from: share(of: box.low).vector, to: share(of: box.high).vector)
    }
}
