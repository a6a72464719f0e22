/// A face as it was measured in one frame: not smoothed, and also before its enter.
package struct FaceSighting: Hashable, Sendable {
    /// The same number for one face in all frames, as long as it keeps its identity; nil if it is not followed.
    package var track: Int?
    /// The face; the identity is 0 before the enter.
    package var face: FaceObject

    package init(track: Int?, face: FaceObject) { (self.track, self.face) = (track, face) }
}
