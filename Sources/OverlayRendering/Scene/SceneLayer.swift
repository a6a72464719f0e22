package import FaceMetadata

/// One face of the scene, from the metadata that brought it to the one that no longer holds it.
package struct SceneLayer: Hashable, Sendable {
    /// The face as last received.
    package internal(set) var face: FaceObject

    /// Which layer of the scene this is, counted from 1 in the order they were made; a moved layer keeps its number.
    package let number: Int

    /// When it was made, in the scene's seconds.
    package let start: Double

    /// Whose layer it is.
    package var faceID: FaceID { face.faceID }
}
