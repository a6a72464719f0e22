/// The measurements of one face in one frame, before the face has an identity.
///
/// Left and right are the picture's. Lengths without a unit are shares of the distance between the outer eye corners in
/// space, so they do not change with the face's size, roll and yaw.
package struct FaceObservation: Sendable {
    /// Number of the lineage: the same while the landmarks are followed from frame to frame without a new detection.
    package var lineage = 0
    /// Whether the landmark model measured the face. If not, only bounds, confidence, the places of eyes and mouth, and
    /// part of the pose are measured.
    package var hasMesh = true
    /// The face's rectangle: from forehead to chin, and as wide as the face.
    package var bounds = NormalizedRect.zero
    package var pose = HeadPose()
    /// The certainty that this is a face, 0…1, of the landmark model, or of the detector for a face without a mesh.
    package var confidence = 0.0
    /// The centre of the eye at the picture's left.
    package var leftEye = NormalizedPoint(x: 0, y: 0)
    /// The centre of the eye at the picture's right.
    package var rightEye = NormalizedPoint(x: 0, y: 0)
    package var mouth = NormalizedPoint(x: 0, y: 0)
    package var leftLids = Lids(height: 0, width: 0)
    package var rightLids = Lids(height: 0, width: 0)
    /// The pixels around both eyes; nil if they were not sampled.
    package var eyePatches: EyePatches?
    package var mouthShape = MouthShape(opening: 0, cornerDrop: 0, smileLevel: 0)
    /// The direction in which the face looks; nil if it was not measured.
    package var gaze: Gaze?
    /// The mean diameter of the irises as a share of the upright picture's diagonal; nil if that was not measured.
    package var irisDiameter: Double?
    /// The pixels between the outer eye corners, estimated without a mesh; with few, other values are less reliable.
    package var eyeDistance = 0.0
    /// Whether something in the face moved by itself since an earlier frame; nil if that was not measured.
    package var ownMotion: OwnMotion?
    /// The colours below the face; nil if they were not looked at, or are outside the picture.
    package var clothes: ClothesColors?
    /// Whether the values were measured in an earlier frame, because there was no time for this face in the newest one.
    package var isCarriedOver = false

    package struct Lids: Hashable, Sendable {
        /// The distance of the upper lid above the line between the eye's corners, plus half the distance of the lower
        /// lid below it, because smiles and squints move that one: about 0.06 open, 0 closed.
        package var height: Double
        /// The distance between the eye's corners in the picture, in pixels.
        package var width: Double

        package init(height: Double, width: Double) { (self.height, self.width) = (height, width) }
    }

    /// The shape of a mouth, measured along the face's own axes.
    package struct MouthShape: Hashable, Sendable {
        /// The distance between the inner lips at their middle: 0 closed, about 0.2 wide open.
        package var opening: Double
        /// The distance of the corners below the middle of the upper lip's inner edge: up to 0.09 in a smile.
        package var cornerDrop: Double
        /// The strength of the smile: 0 is an average mouth at rest, 1 an average smile.
        package var smileLevel: Double

        package init(opening: Double, cornerDrop: Double, smileLevel: Double) {
            (self.opening, self.cornerDrop, self.smileLevel) = (opening, cornerDrop, smileLevel)
        }
    }

    /// The change of a face beyond what moves, turns or lights its picture as a whole.
    package enum OwnMotion: Hashable, Sendable {
        case movement
        /// No change by itself; `size` is the face's size as a multiple of its earlier size.
        case rest(size: Double)

        package var size: Double? { if case .rest(let size) = self { size } else { nil } }
    }

    package init() {}
}
