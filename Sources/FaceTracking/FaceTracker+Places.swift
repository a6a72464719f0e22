package import FaceMetadata

// Faces that are not seen, and are there all the same.
extension FaceTracker {
    /// The places to look at in a frame, before the tracker is advanced to it: of the faces that are not observed and whose
    /// patience has ended.
    ///
    /// - Parameters:
    ///   - time: The frame's media time in seconds.
    ///   - observations: The faces in it.
    /// - Returns: Where to look.
    package func places(at time: Double, besides observations: [FaceObservation] = []) -> [PlaceQuery] {
        guard parameters.hold > 0 else { return [] }
        return tracks.compactMap { track in
            let isSeen = observations.contains { $0.lineage == track.lineage }
            return isSeen ? nil : track.place(at: time, parameters)
        }
    }

    /// Where faces were that are not among some observations.
    package func unseenBounds(besides observations: [FaceObservation]) -> [NormalizedRect] {
        tracks.compactMap { track in observations.contains { $0.lineage == track.lineage } ? nil : track.bounds }
    }

    /// Whether the clothes of faces of other lineages are needed, to know whether they are those of faces that are held.
    package var isHolding: Bool { tracks.contains { $0.hold != nil } }
}
