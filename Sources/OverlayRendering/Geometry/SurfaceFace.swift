/// A face on the surface, with left and right as its viewer sees them, also if mirrored; what is unknown is nil.
@dynamicMemberLookup
package struct SurfaceFace: Hashable, Sendable {
    /// The metadata, with left and right as the viewer of the surface sees them.
    private let object: FaceObject
    /// The upright box, in points.
    let bounds: SurfaceRect
    /// The direction of the head as the viewer of the surface sees it.
    let pose: HeadPose?
    /// The centres of the eyes and of the mouth, in points.
    let leftEye: SurfacePoint?, rightEye: SurfacePoint?, mouth: SurfacePoint?
    /// The direction of the gaze as the viewer of the surface sees it, without roll.
    let gaze: HeadPose?
    /// The points of the face mesh; empty if they are unknown.
    let mesh: [SurfacePoint]
    /// The strength, 0…1, of the mark for each kind of event at present; 0 for kinds that are not in it.
    var flashes: [Topic: Double] = [:]
    /// The seconds for which an eye has been closed.
    var closedFor = 0.0

    fileprivate init(_ object: FaceObject, on geometry: PreviewLayerGeometry) {
        self.object = object
        bounds = geometry.surfaceRect(fromPicture: object.bounds)
        pose = object.pose.flatMap { $0.isFinite ? geometry.transformed($0) : nil }
        leftEye = geometry.place(object.leftEye)
        rightEye = geometry.place(object.rightEye)
        mouth = geometry.place(object.mouth)
        let gaze = object.gaze.map { HeadPose(yaw: $0.yaw, pitch: $0.pitch) }
        self.gaze = gaze.flatMap { $0.isFinite ? geometry.transformed($0) : nil }
        let points = object.mesh.compactMap(geometry.place)
        mesh = points.count == object.mesh.count ? points : []
    }

    func flash(_ kind: Topic) -> Double { flashes[kind] ?? 0 }

    /// The values of the face that are the same on any surface, such as the smile.
    package subscript<Value>(dynamicMember value: KeyPath<FaceObject, Value>) -> Value { object[keyPath: value] }
}

extension PreviewLayerGeometry {
    /// The face on the surface; nil for a box without area, endless or far larger than the picture.
    package func transformed(_ face: FaceObject) -> SurfaceFace? {
        let bounds = face.bounds
        guard [bounds.x, bounds.y].allSatisfy({ abs($0) <= farthest }),
            [bounds.width, bounds.height].allSatisfy({ $0 > 0 && $0 <= farthest })
        else { return nil }
        var seen = face
        if isMirrored {
            swap(&seen.leftEye, &seen.rightEye)
            swap(&seen.leftEyeClosed, &seen.rightEyeClosed)
        }
        return SurfaceFace(seen, on: self)
    }

    fileprivate func place(_ point: NormalizedPoint?) -> SurfacePoint? {
        guard let point, [point.x, point.y].allSatisfy({ abs($0) <= farthest }) else { return nil }
        return surfacePoint(fromPicture: point)
    }

    /// A pose as the surface's viewer sees it: mirroring exchanges the head's left and right, and stretching (`resize`)
    /// tilts the roll by the ratio of the two scales.
    func transformed(_ pose: HeadPose) -> HeadPose {
        let sign = isMirrored ? -1.0 : 1
        let scales = SurfacePoint(abs(surfaceFromPicture.a), abs(surfaceFromPicture.d)) / pictureSize.points
        let roll = (sign * pose.roll).normalizedDegrees.stretched(by: scales)
        return HeadPose(roll: roll, yaw: pose.yaw.map { (sign * $0).normalizedDegrees }, pitch: pose.pitch)
    }
}

/// The distance, in pictures, up to which something is drawn: beyond Cairo's 24.8 bits nothing is drawn any more.
private let farthest = 20.0

extension HeadPose {
    fileprivate var isFinite: Bool { [roll, yaw, pitch].allSatisfy { $0?.isFinite ?? true } }
}
