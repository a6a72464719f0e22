import FaceMetadata
import Frames
import Glibc

/// A turned square in the upright picture: what a model gets to see.
///
/// Pixels of the upright picture, y down, pixel centres at integers; the rotation in radians, clockwise as seen.
package struct CropRegion: Hashable, Sendable {
    var centerX: Float
    var centerY: Float
    var side: Float
    var rotation: Float

    /// Maps pixels of a crop of `size`² to the upright picture.
    ///
    /// Pixel i of the crop is at i / size of the side, not at (i + ½) / size: the models were trained with that.
    func uprightFromCrop(size: Int) -> AffineTransform {
        let step = side / Float(size)
        let (sine, cosine) = (sinf(rotation) * step, cosf(rotation) * step)
        let half = Float(size) / 2
        return AffineTransform(
            a: cosine,
            b: -sine,
            c: sine,
            d: cosine,
            tx: centerX - half * (cosine - sine),
            ty: centerY - half * (sine + cosine)
        )
    }

    /// The same part of the same scene in a picture that is larger by a factor.
    func scaled(by factor: Float) -> CropRegion {
        CropRegion(
            centerX: (centerX + 0.5) * factor - 0.5,
            centerY: (centerY + 0.5) * factor - 0.5,
            side: side * factor,
            rotation: rotation
        )
    }

    /// The upright square with the same centre and side, to compare regions by.
    var square: NormalizedRect {
        NormalizedRect(
            x: Double(centerX - side / 2),
            y: Double(centerY - side / 2),
            width: Double(side),
            height: Double(side)
        )
    }

    /// Whether two regions are about the same face: they share more than half of their union, or one's centre lies in the
    /// other's inner half, where its face is.
    func isSameFace(as other: CropRegion) -> Bool {
        if square.intersectionOverUnion(other.square) > 0.5 { return true }
        let distance = max(abs(centerX - other.centerX), abs(centerY - other.centerY))
        return distance < max(side, other.side) / 4
    }
}

extension CropRegion {
    /// How much larger than the face's box the landmark model wants its crop.
    private static let margin: Float = 1.5

    /// The square that holds a whole rectangle of the picture, in its middle; what is beside it is border.
    ///
    /// The middle is counted as the detector was trained: half the width, in coordinates of pixel centres.
    init(letterboxing rect: NormalizedRect, of size: FrameSize) {
        let (width, height) = (Float(size.width), Float(size.height))
        self.init(
            centerX: Float(rect.center.x) * width,
            centerY: Float(rect.center.y) * height,
            side: max(Float(rect.width) * width, Float(rect.height) * height),
            rotation: 0
        )
    }

    /// Where the landmark model looks for the face that the detector found.
    init(around detection: FaceDetection) {
        let (left, right) = (detection.leftEye, detection.rightEye)
        self.init(
            centerX: detection.centerX,
            centerY: detection.centerY,
            side: Self.margin * max(detection.width, detection.height),
            rotation: atan2f(right.y - left.y, right.x - left.x)
        )
    }

    /// Where the landmark model looks in the next frame for the face whose points it found in this one.
    package init(around points: FaceLandmarks) {
        let (low, high) = points.box
        let (left, right) = (points[FaceMeshIndices.leftEyeOuterCorner], points[FaceMeshIndices.rightEyeOuterCorner])
        self.init(
            centerX: (low.x + high.x) / 2,
            centerY: (low.y + high.y) / 2,
            side: Self.margin * max(high.x - low.x, high.y - low.y),
            rotation: atan2f(right.y - left.y, right.x - left.x)
        )
    }
}
