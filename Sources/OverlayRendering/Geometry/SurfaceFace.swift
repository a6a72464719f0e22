package import FaceMetadata
import Frames

/// A face as it lies on the drawing surface; what is unknown is nil.
///
/// Left and right are the surface's: in a mirrored preview the eye at the picture's left is the right one here.
/// On a picture that lies on its side they are the face's own sides as seen with its roll taken out.
package struct SurfaceFace: Hashable, Sendable {
    var faceID: FaceID
    /// The upright box, in points.
    var bounds: SurfaceRect
    /// Where the head points as the viewer of the surface sees it.
    var pose: HeadPose?
    /// How sure the model is that this is a face, 0…1.
    var confidence: Double
    /// The centre of the left eye, in points.
    var leftEye: SurfacePoint?
    /// The centre of the right eye, in points.
    var rightEye: SurfacePoint?
    /// The centre of the mouth, in points.
    var mouth: SurfacePoint?
    var smiling: Bool?
    /// How much the face smiles, 0…1.
    var smile: Double?
    var leftEyeClosed: Bool?
    var rightEyeClosed: Bool?
    /// Whether the face looks at the camera, or at the thing of `look.direction`.
    var looking: Bool?
    /// On how many analysed frames the face was seen since its enter.
    var trackedFrames: Int
}

extension PreviewLayerGeometry {
    /// The face as it lies on the surface, its angles as the surface's viewer sees them.
    ///
    /// Nil if it is another camera's, or if its box has no place on any surface: without area, endless, or far larger
    /// than the picture. Landmarks and angles that are no numbers become unknown.
    package func transformed(_ face: FaceObject, from camera: String? = nil) -> SurfaceFace? {
        if let own = self.camera, let camera, own != camera { return nil }
        guard face.bounds.isDrawable else { return nil }
        let mirrors = surfaceFromPicture.determinant < 0
        let left = place(face.leftEye)
        let right = place(face.rightEye)
        return SurfaceFace(
            faceID: face.faceID,
            bounds: surfaceRect(fromPicture: face.bounds),
            pose: face.pose.flatMap { $0.isFinite ? transformed($0) : nil },
            confidence: face.confidence,
            leftEye: mirrors ? right : left,
            rightEye: mirrors ? left : right,
            mouth: place(face.mouth),
            smiling: face.smiling,
            smile: face.smile,
            leftEyeClosed: mirrors ? face.rightEyeClosed : face.leftEyeClosed,
            rightEyeClosed: mirrors ? face.leftEyeClosed : face.rightEyeClosed,
            looking: face.looking,
            trackedFrames: face.trackedFrames
        )
    }

    private func place(_ point: NormalizedPoint?) -> SurfacePoint? {
        guard let point, point.isDrawable else { return nil }
        return surfacePoint(fromPicture: point)
    }

    /// A pose as the surface's viewer sees it.
    ///
    /// Turning and mirroring the picture moves the head as a whole. Stretching it (`resize`) leaves yaw and pitch as
    /// they are and tilts the roll by the ratio of the two scales.
    func transformed(_ pose: HeadPose) -> HeadPose {
        let turn = orientation.uprightFromStored.linear.then(
            isMirrored ? .scaling(-1, 1) : .identity
        )
        var result = HeadRotation(pose).followed(by: turn).pose
        let pixels = surfaceFromPixels
        let scaleX = abs(pixels.a) + abs(pixels.b)
        let scaleY = abs(pixels.c) + abs(pixels.d)
        result.roll = result.roll.stretched(byX: scaleX, y: scaleY)
        return result
    }
}

extension PlaneTransform {
    fileprivate var linear: PlaneTransform { PlaneTransform(a: a, b: b, c: c, d: d, tx: 0, ty: 0) }
}

/// How many pictures away something may be and still be drawn; Cairo counts in 24.8 bits, and fails for good beyond.
private let farthest = 20.0

extension NormalizedRect {
    fileprivate var isDrawable: Bool {
        [x, y].allSatisfy { abs($0) <= farthest } && [width, height].allSatisfy { $0 > 0 && $0 <= farthest }
    }
}

extension NormalizedPoint {
    fileprivate var isDrawable: Bool { [x, y].allSatisfy { abs($0) <= farthest } }
}

extension HeadPose {
    fileprivate var isFinite: Bool { [roll, yaw, pitch].allSatisfy(\.isFinite) }
}
