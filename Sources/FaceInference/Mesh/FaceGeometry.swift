import Glibc

/// Measures a face by its landmarks: the eyes, the mouth, the pose and the gaze.
struct FaceGeometry {
    let landmarks: FaceLandmarks
    let axes: HeadAxes
    /// The unit of lengths, called outer eye distance: the 3D distance between the outer eye corners, in pixels.
    let unit: Float

    init(_ landmarks: FaceLandmarks) {
        self.landmarks = landmarks
        axes = HeadAxes(landmarks)
        unit =
            axes.inFaceFrame(FaceMeshIndices.leftEyeOuterCorner, FaceMeshIndices.rightEyeOuterCorner, landmarks).length
    }

    func center(of indices: [Int]) -> SIMD2<Float> {
        indices.reduce(.zero) { $0 + position($1) } / Float(indices.count)
    }

    /// Returns the line between the corners of an eye: its middle, its direction from left to right, the perpendicular
    /// direction down the face, and its length in pixels.
    func cornerLine(
        of eye: FaceMeshIndices.Eye
    ) -> (middle: SIMD2<Float>, along: SIMD2<Float>, down: SIMD2<Float>, width: Float) {
        let left = position(eye.leftCorner)
        let right = position(eye.rightCorner)
        let width = distance(eye.leftCorner, eye.rightCorner)
        let along = width > 0 ? (right - left) / width : SIMD2(1, 0)
        return ((left + right) / 2, along, SIMD2(-along.y, along.x), width)
    }

    /// The weights of a lid's seven points in its mean height, small near the corners, where lids hardly move.
    private static let lidWeights: [Float] = [0.06, 0.14, 0.2, 0.2, 0.2, 0.14, 0.06]

    func lids(of eye: FaceMeshIndices.Eye) -> FaceObservation.Lids {
        let line = cornerLine(of: eye)
        let corner = position(eye.leftCorner)
        func depth(_ lid: [Int]) -> Float {
            zip(lid, Self.lidWeights).reduce(0) { sum, point in
                sum + point.1 * ((position(point.0) - corner) * line.down).sum()
            }
        }
        let height = depth(eye.lowerLid) / 2 - depth(eye.upperLid)
        return FaceObservation.Lids(height: unit > 0 ? Double(height / unit) : 0, width: Double(line.width))
    }

    func position(_ index: Int) -> SIMD2<Float> {
        let point = landmarks[index]
        return SIMD2(point.x, point.y)
    }

    /// The distance between the outer eye corners in the picture, in pixels.
    var eyeDistance: Float { distance(FaceMeshIndices.leftEyeOuterCorner, FaceMeshIndices.rightEyeOuterCorner) }

    func distance(_ first: Int, _ second: Int) -> Float {
        hypotf(landmarks[first].x - landmarks[second].x, landmarks[first].y - landmarks[second].y)
    }

    func observation(in size: FrameSize) -> FaceObservation {
        var observation = FaceObservation()
        observation.bounds = size.share(of: landmarks.outline)
        observation.pose = axes.pose(of: landmarks)
        observation.leftEye = size.share(of: center(of: FaceMeshIndices.leftEye.lids))
        observation.rightEye = size.share(of: center(of: FaceMeshIndices.rightEye.lids))
        observation.mouth = size.share(of: center(of: FaceMeshIndices.mouth))
        observation.leftLids = lids(of: FaceMeshIndices.leftEye)
        observation.rightLids = lids(of: FaceMeshIndices.rightEye)
        observation.mouthShape = mouthShape
        observation.gaze = gaze(with: observation.pose)
        observation.irisDiameter = Double(irisDiameter) / hypot(Double(size.width), Double(size.height))
        observation.eyeDistance = Double(eyeDistance)
        return observation
    }

    private static let patchSampler = LumaSampler(width: EyePatches.width, height: EyePatches.height)

    /// Samples the pixels around both eyes from the frame; nil if its pixels cannot be read.
    func eyePatches(in frame: Frame) -> EyePatches? {
        EyePatches { pixels in
            guard let base = pixels.baseAddress else { return false }
            return FaceMeshIndices.eyes.enumerated().allSatisfy { number, eye in
                let patch = base + number * EyePatches.count
                return Self.patchSampler.sample(frame, through: patchRegion(of: eye), into: patch)
            }
        }
    }

    /// Returns the map from pixels of an eye's patch to the upright picture. The patch follows the line between the
    /// eye's corners and shows little but the lids: it is 1.25 times as wide as the eye, and 0.30 times as high as the
    /// outer eye corners are apart. Its centre is above the line, as that of an open eye is.
    private func patchRegion(of eye: FaceMeshIndices.Eye) -> AffineTransform {
        let line = cornerLine(of: eye)
        let middle = line.middle - line.down * (0.0185 * unit)
        let column = line.along * (1.25 * line.width / Float(EyePatches.width))
        let row = line.down * (0.30 * unit / Float(EyePatches.height))
        // The middle is between the two middle pixels.
        let origin = middle - column * (Float(EyePatches.width - 1) / 2) - row * (Float(EyePatches.height - 1) / 2)
        return AffineTransform(a: column.x, b: row.x, c: column.y, d: row.y, tx: origin.x, ty: origin.y)
    }

    // MARK: The mouth and the gaze

    var mouthShape: FaceObservation.MouthShape {
        guard unit > 0 else { return FaceObservation.MouthShape(opening: 0, cornerDrop: 0, smileLevel: 0) }
        let upper = FaceMeshIndices.upperLipInner
        let opening = axes.inFaceFrame(upper, FaceMeshIndices.lowerLipInner, landmarks).length
        let left = axes.inFaceFrame(FaceMeshIndices.leftMouthCorner, upper, landmarks).y
        let right = axes.inFaceFrame(FaceMeshIndices.rightMouthCorner, upper, landmarks).y
        let drop = (left + right) / 2 / unit
        let level = SmileLevel.level(of: landmarks, axes, unit: unit)
        return .init(opening: Double(opening / unit), cornerDrop: Double(drop), smileLevel: Double(level))
    }

    /// Returns the gaze of a face with this pose, from the head and the irises' positions between the eye corners.
    ///
    /// Seen from the camera, a gaze of one radian moves the iris by its distance from the eyeball's centre. A head turn
    /// of one radian moves the line between the eye's corners by the smaller distance of that line from the centre.
    func gaze(with pose: HeadPose) -> Gaze? {
        guard unit > 0, let yaw = pose.yaw, let pitch = pose.pitch else { return nil }
        var offset = SIMD2<Float>.zero
        var total: Float = 0
        for eye in FaceMeshIndices.eyes {
            let line = cornerLine(of: eye)
            let place = center(of: eye.iris) - line.middle
            // The far eye of a turned head is seen from the side, and often half hidden.
            let weight = line.width * line.width
            offset += weight * SIMD2((place * line.along).sum(), -(place * line.down).sum())
            total += weight
        }
        guard total > 0 else { return nil }
        offset /= total * unit
        let trust = GazeFormula.trust(yaw: yaw)
        // Yaw and pitch.
        let turn = GazeFormula.head * SIMD2(yaw, pitch)
        let irises = turn + GazeFormula.iris * SIMD2<Double>(offset) + SIMD2(0, GazeFormula.neutralPitch)
        let head = SIMD2(yaw, turn.y + GazeFormula.neutralHeadPitch)
        let angles = trust * irises + (1 - trust) * head
        return Gaze(yaw: min(max(angles.x, -90), 90), pitch: min(max(angles.y, -90), 90))
    }

    /// The mean diameter of both irises, in pixels.
    var irisDiameter: Float {
        FaceMeshIndices.eyes.reduce(0) { sum, eye in
            sum + (distance(eye.iris[1], eye.iris[3]) + distance(eye.iris[2], eye.iris[4]))
        } / 4
    }
}

/// The formula from head and irises to gaze. `Tools/look-formula.py` fits the first three constants to landmarks of
/// people who look at the camera or away. Anatomy gives similar values: `iris` is 491 if the iris is 10.5 mm from the
/// eyeball's centre and the outer eye corners are 90 mm apart, `head` is 2/3 if the corners are 7 mm from it.
private enum GazeFormula {
    /// The degrees of gaze for each degree that the head turns, if the iris stays in place between the eye's corners.
    static let head = 0.68
    /// The factor that converts the iris's offset from the midpoint of its eye's corners to degrees of gaze. The offset
    /// is a multiple of the distance between the outer corners of both eyes.
    static let iris = 472.0
    /// The degrees to add to the gaze's pitch, since an iris that looks straight ahead is above the eye's corners.
    static let neutralPitch = -11.7
    /// The degrees to add to the gaze's pitch instead of `neutralPitch` if the gaze is taken from the head alone.
    static let neutralHeadPitch = -3.0
    /// The range of the head's yaw, in degrees to either side, in which the irises' weight falls from 1 to 0. Beyond
    /// it, one iris is hidden and the other is seen from the side.
    private static let yaws = 25.0...35.0

    /// Returns the irises' weight in the gaze, 0…1, for a yaw of the head in degrees. The rest is the head's weight.
    static func trust(yaw: Double) -> Double {
        min(1, max(0, (yaws.upperBound - abs(yaw)) / (yaws.upperBound - yaws.lowerBound)))
    }
}
