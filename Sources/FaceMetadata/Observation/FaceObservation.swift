/// The measurements of one face in one frame, before the face has an identity. Left and right are as seen in the
/// picture. Lengths without a unit are fractions of the three-dimensional distance between the outer eye corners, so
/// they do not change with the face's size, roll and yaw.
package struct FaceObservation: Sendable {
    /// The number that the analyzer gives to a face for as long as it follows the face without a break.
    package var lineage = 0
    /// Whether the landmark model measured the face. If not, only the bounds, the confidence, the centres of eyes and
    /// mouth, the roll and perhaps the yaw are measured.
    package var hasMesh = true
    /// The bounding box of the face from forehead to chin.
    package var bounds = NormalizedRect.zero
    package var pose = HeadPose()
    /// The landmark model's confidence that this is a face, 0…1; for a face without a mesh, the detector's.
    package var confidence = 0.0
    /// The centre of the eye on the left as seen in the picture.
    package var leftEye = NormalizedPoint(x: 0, y: 0)
    /// The centre of the eye on the right as seen in the picture.
    package var rightEye = NormalizedPoint(x: 0, y: 0)
    package var mouth = NormalizedPoint(x: 0, y: 0)
    package var leftLids = Lids(height: 0, width: 0)
    package var rightLids = Lids(height: 0, width: 0)
    /// The pixels around both eyes; nil if they were not read.
    package var eyePatches: EyePatches?
    package var mouthShape = MouthShape(opening: 0, cornerDrop: 0, smileLevel: 0)
    /// The direction in which the face looks; nil if it was not measured.
    package var gaze: Gaze?
    /// The mean diameter of the irises as a fraction of the upright picture's diagonal; nil if it was not measured.
    package var irisDiameter: Double?
    /// The distance between the outer eye corners in the picture, in pixels; estimated for a face without a mesh.
    package var eyeDistance = 0.0
    /// Whether anything within the face moved since an earlier frame, as it does not in a photo; nil if not measured.
    package var ownMotion: OwnMotion?
    /// The colours of the clothes; nil if they were not measured or too little of them is in the picture.
    package var clothes: ClothesColors?
    /// Whether the values are from an earlier frame, because there was no time to measure this face in the newest one.
    package var isCarriedOver = false

    package struct Lids: Hashable, Sendable {
        /// The opening between the lids as a fraction of the distance between the outer eye corners: about 0.06 if
        /// open, 0 if closed. Only half of the part below the line between the eye's corners counts, because smiles and
        /// squints change it.
        package var height: Double
        /// The distance between the eye's corners in the picture, in pixels.
        package var width: Double

        package init(height: Double, width: Double) { (self.height, self.width) = (height, width) }
    }

    /// The shape of a mouth along the face's own axes. Lengths are fractions of the distance of the outer eye corners.
    package struct MouthShape: Hashable, Sendable {
        /// The distance between the inner edges of the lips at their middle: 0 for a closed mouth, 0.6 for a wide yawn.
        package var opening: Double
        /// How far the corners are below the middle of the upper lip's inner edge: at most 0.12 in smiles and laughs.
        package var cornerDrop: Double
        /// The strength of the smile: 0 is an average mouth at rest, 1 an average smile.
        package var smileLevel: Double

        package init(opening: Double, cornerDrop: Double, smileLevel: Double) {
            (self.opening, self.cornerDrop, self.smileLevel) = (opening, cornerDrop, smileLevel)
        }
    }

    /// Whether anything within a face moved, such as the mouth. Motion or lighting of the whole face does not count.
    package enum OwnMotion: Hashable, Sendable {
        case movement
        /// Nothing within the face moved. `size` is the face's size as a multiple of its size in the earlier frame.
        case rest(size: Double)

        package var size: Double? { if case .rest(let size) = self { size } else { nil } }
    }

    package init() {}
}
