/// A face in a frame in which it was seen. Its bounds and pose are not smoothed, and it may not have entered yet.
package struct FaceSighting: Hashable, Sendable {
    /// The number of the face's track, the same in all frames while it keeps its identity; nil if it is not followed.
    package var track: Int?
    /// The face, whose identity is 0 before it enters.
    package var face: FaceObject

    package init(track: Int?, face: FaceObject) { (self.track, self.face) = (track, face) }
}
