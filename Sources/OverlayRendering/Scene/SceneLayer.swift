public import FaceMetadata

/// One face of the scene, from the metadata that brought it to the one that no longer holds it.
public struct SceneLayer: Hashable, Sendable {
    /// The face as last told.
    public internal(set) var face: FaceObject

    /// Which layer of the scene this is, counted from 1 in the order they were made; a moved layer keeps its number.
    public let number: Int

    /// When it was made, in the scene's seconds.
    public let start: Double

    /// Whose layer it is.
    public var faceID: FaceID { face.faceID }
}
