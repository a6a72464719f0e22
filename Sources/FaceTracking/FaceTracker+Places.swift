package import FaceMetadata

// Faces that are not seen, and are there all the same.
extension FaceTracker {
    /// The places to look at in a frame of that media time, before the tracker is advanced to it: of the faces that are not among
    /// the observations and whose patience has ended.
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

    /// Whether nobody is there.
    package var isEmpty: Bool { !tracks.contains(where: \.hasEntered) }
    /// Whether somebody is there who is not seen.
    package var hasUnseen: Bool { tracks.contains(where: \.isUnseen) }

    /// Whether faces are held, and some observations are of others, whose clothes say whether they are the same.
    package func isHolding(besides observations: [FaceObservation]) -> Bool {
        tracks.contains { $0.hold != nil }
            && observations.contains { seen in !tracks.contains { $0.hasEntered && $0.lineage == seen.lineage } }
    }
}
