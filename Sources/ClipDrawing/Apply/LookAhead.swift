import FaceMetadata
import FaceTracking

/// Holds frames back for as long as a face may go unseen, so that what is drawn over a frame takes into account what comes
/// after it: a face is drawn from its first sighting to its last, gaps between are filled, and nothing lags.
struct LookAhead<Picture> {
    /// A frame with what is known of it.
    struct Moment {
        var picture: Picture
        var stamp: FrameStamp
        /// Whether it begins another scene than that of the frame before.
        var isCut = false
        var sightings: [FaceSighting] = []
        var events: [FaceEvent] = []
        /// What is to be drawn, once it is settled. A face that has not entered, or is not followed, has a negative identity.
        var faces: [FaceObject] = []
    }

    /// Seconds around a sighting of the detector alone for which it counts: it sees some faces in every third frame only.
    private static var unfollowedMargin: Double { 0.12 }
    /// The overlap, as a share of both, from which on two faces need not both be covered.
    private static var samePlace: Double { 0.8 }

    private let patience: Double
    private let coversAll: Bool
    private let maximumFrames: Int
    private var scene = 0
    private var waiting: [(moment: Moment, scene: Int)] = []
    private var paths: [Int: FacePath] = [:]
    private var unfollowed: [(time: Double, scene: Int, faces: [FaceObject])] = []

    /// Makes a delay line; with more than `maximumFrames` waiting, what comes later is not taken into account.
    ///
    /// - Parameters:
    ///   - patience: How many seconds a face may go unseen and still be the same.
    ///   - coversAll: Whether all that may be a face is wanted, also shortly before and after it was seen, to be hidden.
    ///   - maximumFrames: How many frames may wait.
    init(patience: Double, coversAll: Bool, maximumFrames: Int = .max) {
        self.patience = patience
        self.coversAll = coversAll
        self.maximumFrames = max(1, maximumFrames)
    }

    /// Takes the next frame; returns the frames that are settled by it, in order.
    mutating func add(_ moment: Moment) -> [Moment] {
        let newest = moment.stamp.mediaTime
        if moment.isCut { scene += 1 }
        waiting.append((moment, scene))
        for sighting in moment.sightings {
            guard let track = sighting.track else { continue }
            paths[track, default: FacePath(track: track, scene: scene)].append(sighting.face, at: newest)
        }
        let others = moment.sightings.filter { $0.track == nil }.map(\.face)
        if coversAll, !others.isEmpty { unfollowed.append((newest, scene, others)) }
        let settled = waiting.prefix { $0.scene != scene || newest - $0.moment.stamp.mediaTime >= patience }
        return settle(max(settled.count, waiting.count - maximumFrames))
    }

    /// No frame comes any more; returns all frames that still waited, in order.
    mutating func finish() -> [Moment] { settle(waiting.count) }

    private mutating func settle(_ count: Int) -> [Moment] {
        guard count > 0 else { return [] }
        let settled = waiting.prefix(count).map { moment, scene in
            var moment = moment
            moment.faces = faces(at: moment.stamp.mediaTime, in: scene)
            return moment
        }
        waiting.removeFirst(count)
        forget(before: (waiting.first?.moment ?? settled[count - 1]).stamp.mediaTime - patience)
        return settled
    }

    private func faces(at time: Double, in scene: Int) -> [FaceObject] {
        var faces: [FaceObject] = []
        for path in paths.values where path.scene == scene && (coversAll || path.hasEntered) {
            let beside = coversAll ? path.face(beside: time, patience: patience) : nil
            if let face = path.face(at: time, patience: patience) ?? beside { faces.append(face) }
        }
        for moment in unfollowed where moment.scene == scene && abs(moment.time - time) <= Self.unfollowedMargin {
            for var face in moment.faces
            where !faces.contains(where: { $0.bounds.intersectionOverUnion(face.bounds) > Self.samePlace }) {
                face.faceID = FaceID(rawValue: -1_000_000 - faces.count)
                faces.append(face)
            }
        }
        return faces
    }

    private mutating func forget(before time: Double) {
        let oldest = waiting.first?.scene ?? scene
        paths = paths.filter { $0.value.scene >= oldest && $0.value.end >= time }
        for track in paths.keys { paths[track]?.forget(before: time) }
        unfollowed.removeAll { $0.scene < oldest || $0.time < time }
    }
}
