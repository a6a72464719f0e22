import FacetKit

/// Holds frames back for as long as a face may go unseen, so that what is drawn over a frame takes into account what comes
/// after it: a face is drawn from its first sighting to its last, gaps between are filled, and nothing lags.
struct LookAhead {
    /// Seconds around a sighting of the detector alone for which it counts: it sees some faces in every third frame only.
    private static let unfollowedMargin = 0.12
    /// The overlap, as a share of both, from which on two faces need not both be covered.
    private static let samePlace = 0.8

    /// How long, in seconds, a face may go unseen and still be the same.
    let patience: Double
    /// Whether all that may be a face is wanted, also shortly before and after it was seen, to be hidden.
    let coversAll: Bool
    /// With more frames waiting, what comes later is not taken into account; one waits in any case.
    var maximumFrames = Int.max
    /// How many cuts there were: the frames between two of them are a shot.
    private(set) var shot = 0
    private(set) var waiting: [(update: FaceUpdate, shot: Int)] = []
    private(set) var paths: [Int: FacePath] = [:]
    private(set) var unfollowed: [(time: Double, shot: Int, faces: [FaceObject])] = []

    /// Takes the update of the next frame; returns those that are settled by it, in order, with the faces to be drawn. One that
    /// has not entered, or is not followed, has a negative identity.
    mutating func add(_ update: FaceUpdate) -> [FaceUpdate] {
        let newest = update.mediaTime
        if update.isCut { shot += 1 }
        waiting.append((update, shot))
        for sighting in update.sightings {
            guard let track = sighting.track else { continue }
            paths[track, default: FacePath(track: track, shot: shot)].append(sighting.face, at: newest)
        }
        let others = update.sightings.filter { $0.track == nil }.map(\.face)
        if coversAll, !others.isEmpty { unfollowed.append((newest, shot, others)) }
        let settled = waiting.prefix { $0.shot != shot || newest - $0.update.mediaTime >= patience }
        return settle(max(settled.count, waiting.count - max(1, maximumFrames)))
    }

    /// No frame comes any more; returns all updates that still waited, in order.
    mutating func finish() -> [FaceUpdate] { settle(waiting.count) }

    private mutating func settle(_ count: Int) -> [FaceUpdate] {
        guard count > 0 else { return [] }
        let settled = waiting.prefix(count).map { update, shot in
            var update = update
            update.faces = faces(at: update.mediaTime, in: shot)
            return update
        }
        waiting.removeFirst(count)
        forget(before: (waiting.first?.update ?? settled[count - 1]).mediaTime - patience)
        return settled
    }

    private func faces(at time: Double, in shot: Int) -> [FaceObject] {
        var faces: [FaceObject] = []
        for path in paths.values where path.shot == shot && (coversAll || path.hasEntered) {
            let beside = coversAll ? path.face(beside: time, patience: patience) : nil
            if let face = path.face(at: time, patience: patience) ?? beside { faces.append(face) }
        }
        for moment in unfollowed where moment.shot == shot && abs(moment.time - time) <= Self.unfollowedMargin {
            for var face in moment.faces
            where !faces.contains(where: { $0.bounds.intersectionOverUnion(face.bounds) > Self.samePlace }) {
                face.faceID = FaceID(rawValue: -1_000_000 - faces.count)
                faces.append(face)
            }
        }
        return faces
    }

    private mutating func forget(before time: Double) {
        let oldest = waiting.first?.shot ?? shot
        paths = paths.filter { $0.value.shot >= oldest && $0.value.end >= time }
        for track in paths.keys { paths[track]?.forget(before: time) }
        unfollowed.removeAll { $0.shot < oldest || $0.time < time }
    }
}

extension FaceUpdate {
    /// When its frame was captured, in seconds since the source's first one.
    var mediaTime: Double { stamp?.mediaTime ?? 0 }
}
