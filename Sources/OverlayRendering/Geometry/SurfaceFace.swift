/// A face on the drawing surface. Left and right are as the viewer sees them, even if the picture is mirrored.
@dynamicMemberLookup
package struct SurfaceFace: Hashable, Sendable {
    /// The face's metadata; if the picture is mirrored, with left and right eye exchanged.
    private let object: FaceObject
    let bounds: SurfaceRect
    let pose: HeadPose?
    /// The centres of the eyes and of the mouth, in points; nil if unknown.
    let leftEye: SurfacePoint?, rightEye: SurfacePoint?, mouth: SurfacePoint?
    /// The direction of the gaze as the viewer of the surface sees it; its roll is 0.
    let gaze: HeadPose?
    /// The points of the face mesh on the surface; empty if they are unknown.
    let mesh: [SurfacePoint]
    /// The present strength, 0…1, of the mark on the face for each kind of event; 0 for a kind that is missing.
    var flashes: [Topic: Double] = [:]
    /// The seconds for which at least one eye has been closed; 0 if both are open.
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

    /// Gives access to the face's values that are the same on any surface, such as `smile`.
    package subscript<Value>(dynamicMember value: KeyPath<FaceObject, Value>) -> Value { object[keyPath: value] }
}

extension PreviewLayerGeometry {
    /// Converts a face to the surface; nil if its box has no area, is not finite, or is far outside the picture.
    package func transformed(_ face: FaceObject) -> SurfaceFace? {
        let bounds = face.bounds
        guard [bounds.x, bounds.y].allSatisfy({ abs($0) <= farthest }),
            [bounds.width, bounds.height].allSatisfy({ $0 > 0 && $0 <= farthest })
        else { return nil }
        var seen = face
        if isMirrored {
            swap(&seen.leftEye, &seen.rightEye)
            swap(&seen.leftEyeClosed, &seen.rightEyeClosed)
            swap(&seen.leftEyeOpen, &seen.rightEyeOpen)
        }
        return SurfaceFace(seen, on: self)
    }

    fileprivate func place(_ point: NormalizedPoint?) -> SurfacePoint? {
        guard let point, [point.x, point.y].allSatisfy({ abs($0) <= farthest }) else { return nil }
        return surfacePoint(fromPicture: point)
    }

    /// Converts a pose to what the viewer of the surface sees. Mirroring exchanges left and right, and different scales
    /// across and down (`resize`) change the roll.
    func transformed(_ pose: HeadPose) -> HeadPose {
        let sign = isMirrored ? -1.0 : 1
        let scales = SurfacePoint(abs(surfaceFromPicture.a), abs(surfaceFromPicture.d)) / pictureSize.points
        let roll = (sign * pose.roll).normalizedDegrees.stretched(by: scales)
        return HeadPose(roll: roll, yaw: pose.yaw.map { (sign * $0).normalizedDegrees }, pitch: pose.pitch)
    }
}

/// The maximum coordinate that is drawn, in picture widths or heights. Cairo's coordinates are 24.8-bit fixed-point.
private let farthest = 20.0

extension HeadPose {
    fileprivate var isFinite: Bool { [roll, yaw, pitch].allSatisfy { $0?.isFinite ?? true } }
}
