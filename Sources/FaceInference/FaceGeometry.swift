import FaceMetadata
import Frames
import Glibc

/// What is measured on the landmarks of one face.
struct FaceGeometry {
    let landmarks: FaceLandmarks
    let axes: HeadAxes

    init(_ landmarks: FaceLandmarks) {
        self.landmarks = landmarks
        axes = HeadAxes(landmarks)
    }

    /// The smallest upright rectangle around the face's outline, forehead to chin, in pixels.
    var bounds: (left: Float, top: Float, right: Float, bottom: Float) {
        var (left, top) = (Float.infinity, Float.infinity)
        var (right, bottom) = (-Float.infinity, -Float.infinity)
        for index in FaceMeshIndices.faceOval {
            let point = landmarks[index]
            (left, right) = (min(left, point.x), max(right, point.x))
            (top, bottom) = (min(top, point.y), max(bottom, point.y))
        }
        return (left, top, right, bottom)
    }

    /// The mean of some points, in pixels.
    func center(of indices: [Int]) -> (x: Float, y: Float) {
        var sum: (x: Float, y: Float) = (0, 0)
        for index in indices {
            let point = landmarks[index]
            sum = (sum.x + point.x, sum.y + point.y)
        }
        return (sum.x / Float(indices.count), sum.y / Float(indices.count))
    }

    /// Height over width of an eye from its six points: outer corner, two above, inner corner, two below.
    func openness(of eye: [Int]) -> Double {
        let width = distance(eye[0], eye[3])
        guard width > 0 else { return 0 }
        return Double((distance(eye[1], eye[5]) + distance(eye[2], eye[4])) / (2 * width))
    }

    /// The distance between the outer eye corners in the picture, in pixels.
    var eyeDistance: Float { distance(FaceMeshIndices.leftEyeOuterCorner, FaceMeshIndices.rightEyeOuterCorner) }

    private func distance(_ first: Int, _ second: Int) -> Float {
        hypotf(landmarks[first].x - landmarks[second].x, landmarks[first].y - landmarks[second].y)
    }

    /// Mouth measures in the face's own frame, as shares of the distance between the outer eye corners in space.
    var mouth: (width: Double, cornerLift: Double) {
        let eyes = axes.inFaceFrame(FaceMeshIndices.leftEyeOuterCorner, FaceMeshIndices.rightEyeOuterCorner, landmarks)
        let unit = eyes.length
        guard unit > 0 else { return (0, 0) }
        let left = FaceMeshIndices.leftMouthCorner
        let right = FaceMeshIndices.rightMouthCorner
        let (upper, lower) = (FaceMeshIndices.upperLipInner, FaceMeshIndices.lowerLipInner)
        // The corners' mean above the inner lips' mean, as the mean of two differences each.
        let lift =
            (axes.inFaceFrame(upper, left, landmarks).y + axes.inFaceFrame(upper, right, landmarks).y
                + axes.inFaceFrame(lower, left, landmarks).y + axes.inFaceFrame(lower, right, landmarks).y) / 4
        return (Double(axes.inFaceFrame(left, right, landmarks).length / unit), Double(lift / unit))
    }
}

extension FaceGeometry {
    /// The values that are published, for a face in an upright picture of that size.
    func observation(lineage: Int, confidence: Double, in size: FrameSize) -> FaceObservation {
        let (left, top, right, bottom) = bounds
        let topLeft = Self.normalized(left, top, in: size)
        let bottomRight = Self.normalized(right, bottom, in: size)
        let mouth = mouth
        let mouthCenter = center(of: [
            FaceMeshIndices.leftMouthCorner, FaceMeshIndices.rightMouthCorner,
            FaceMeshIndices.upperLipInner, FaceMeshIndices.lowerLipInner,
        ])
        let leftEye = center(of: FaceMeshIndices.leftLids)
        let rightEye = center(of: FaceMeshIndices.rightLids)
        return FaceObservation(
            lineage: lineage,
            bounds: NormalizedRect(
                x: topLeft.x,
                y: topLeft.y,
                width: bottomRight.x - topLeft.x,
                height: bottomRight.y - topLeft.y
            ),
            pose: axes.pose,
            confidence: confidence,
            leftEye: Self.normalized(leftEye.x, leftEye.y, in: size),
            rightEye: Self.normalized(rightEye.x, rightEye.y, in: size),
            mouth: Self.normalized(mouthCenter.x, mouthCenter.y, in: size),
            leftEyeOpenness: openness(of: FaceMeshIndices.leftEyeRatio),
            rightEyeOpenness: openness(of: FaceMeshIndices.rightEyeRatio),
            mouthWidth: mouth.width,
            mouthCornerLift: mouth.cornerLift,
            eyeDistance: Double(eyeDistance)
        )
    }

    /// Pixels, with centres at integers, as shares of the picture, whose edge is half a pixel outside.
    private static func normalized(_ x: Float, _ y: Float, in size: FrameSize) -> NormalizedPoint {
        NormalizedPoint(x: (Double(x) + 0.5) / Double(size.width), y: (Double(y) + 0.5) / Double(size.height))
    }
}
