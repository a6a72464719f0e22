/// Holds frames back until the next ones are known: a face is drawn from its first sighting to its last, without gaps.
struct LookAhead {
    /// Seconds for which a sighting by the detector alone counts: it sees some faces in every third frame only.
    private static let unfollowedMargin = 0.12
    /// The overlap of two faces, as a share of both, from which on not both need to be covered.
    private static let samePlace = 0.8

    /// Seconds for which a face may go unseen and still be the same.
    let patience: Double
    /// Whether everything that may be a face is to be hidden, also shortly before and after it was seen.
    let coversAll: Bool
    /// The largest number of frames that wait; one waits in any case.
    var maximumFrames = Int.max
    private(set) var waiting: [FaceUpdate] = []
    private(set) var paths: [Int: SmoothedPath] = [:]
    private(set) var unfollowed: [(time: Double, faces: [FaceObject])] = []

    /// Takes the update of the next frame; returns those that it settles, in order, with the faces to draw. A face that
    /// has not entered, or is not followed, has a negative identity.
    mutating func add(_ update: FaceUpdate) -> [FaceUpdate] {
        let beforeCut = update.isCut ? finish() : []
        let newest = update.mediaTime
        waiting.append(update)
        for sighting in update.sightings {
            guard let track = sighting.track else { continue }
            paths[track, default: SmoothedPath(track: track)].append(sighting.face, at: newest)
        }
        let others = update.sightings.filter { $0.track == nil }.map(\.face)
        if coversAll, !others.isEmpty { unfollowed.append((newest, others)) }
        let due = waiting.prefix { newest - $0.mediaTime >= patience }
        return beforeCut + settle(max(due.count, waiting.count - max(1, maximumFrames)))
    }

    /// Ends the scene; returns all updates that still waited, in order.
    mutating func finish() -> [FaceUpdate] { settle(waiting.count) }

    private mutating func settle(_ count: Int) -> [FaceUpdate] {
        let settled = waiting.prefix(count).map { update in
            var update = update
            update.faces = faces(at: update.mediaTime)
            return update
        }
        waiting.removeFirst(count)
        // When nothing waits any more, the scene is over: its faces are not those of the next one.
        let oldest = waiting.first.map { $0.mediaTime - patience } ?? .infinity
        paths = paths.filter { $0.value.end >= oldest }
        for track in paths.keys { paths[track]?.forget(before: oldest) }
        unfollowed.removeAll { $0.time < oldest }
        return settled
    }

    private func faces(at time: Double) -> [FaceObject] {
        var faces: [FaceObject] = []
        for path in paths.values where coversAll || path.hasEntered {
            let beside = coversAll ? path.face(beside: time, patience: patience) : nil
            if let face = path.face(at: time, patience: patience) ?? beside { faces.append(face) }
        }
        for moment in unfollowed where abs(moment.time - time) <= Self.unfollowedMargin {
            for var face in moment.faces
            where !faces.contains(where: { $0.bounds.intersectionOverUnion(face.bounds) > Self.samePlace }) {
                face.faceID = FaceID(rawValue: -1_000_000 - faces.count)
                faces.append(face)
            }
        }
        return faces
    }
}

extension FaceUpdate {
    /// The capture time of the update's frame, in seconds since the source's first one.
    var mediaTime: Double { stamp?.mediaTime ?? 0 }
}
