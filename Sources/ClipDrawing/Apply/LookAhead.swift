/// Delays frames until later ones are known, so that a face is drawn without gaps from its first to its last sighting.
struct LookAhead {
    /// How long, in seconds, the place of an untracked face is hidden before and after its detection: long enough that
    /// faces of its size are searched for at least twice, even where searches for different sizes take turns.
    private static let unfollowedMargin = 3 * FaceAnalyzer.closeStep
    /// The overlap (intersection over union) with a face to draw above which an untracked detection is the same face.
    private static let samePlace = 0.8

    /// The maximum gap between two sightings of one face, in seconds. Frames are delayed by this time.
    let patience: Double
    /// Whether to hide every possible face, also shortly before its first sighting and after its last.
    let coversAll: Bool
    /// The maximum number of delayed frames; a value below 1 counts as 1.
    var maximumFrames = Int.max
    private(set) var waiting: [FaceUpdate] = []
    private(set) var paths: [Int: SmoothedPath] = [:]
    private(set) var unfollowed: [(time: Double, faces: [FaceObject])] = []

    /// Adds the update of the next frame. Returns the delayed updates that are ready, in order, with the faces to draw.
    /// A face that is not followed, or for which there was no enter event yet, has a negative identity.
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

    /// Returns all delayed updates, in order. Called at a cut between scenes and at the end of the input.
    mutating func finish() -> [FaceUpdate] { settle(waiting.count) }

    private mutating func settle(_ count: Int) -> [FaceUpdate] {
        let settled = waiting.prefix(count).map { update in
            var update = update
            update.faces = faces(at: update.mediaTime)
            return update
        }
        waiting.removeFirst(count)
        // If nothing waits any more, the scene has ended, and the next scene has other faces.
        let oldest = waiting.first.map { $0.mediaTime - patience } ?? .infinity
        paths = paths.filter { $0.value.end >= oldest }
        for track in paths.keys { paths[track]?.forget(before: oldest) }
        unfollowed.removeAll { $0.time < oldest }
        return settled
    }

    private func faces(at time: Double) -> [FaceObject] {
        var faces: [FaceObject] = []
        for path in paths.values where coversAll || path.identity != nil {
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
    /// The capture time of the update's frame, in seconds since the source's first frame; 0 without a frame.
    var mediaTime: Double { stamp?.mediaTime ?? 0 }
}
