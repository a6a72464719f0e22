import FaceMetadata
import Glibc

/// Which of the followed faces each observation is.
///
/// The landmark model follows a face from frame to frame under one lineage, which settles most of it. When a face was lost
/// for a moment and detected anew, it is the one that was last seen nearest, in units of the face's size; the farther it
/// may have moved in the time, the more is allowed.
struct Assignment {
    /// After this many seconds unseen, the default patience, a face may be no farther: a longer patience must not give it
    /// to whoever comes next, wherever that is.
    private static let longestGap = 0.7

    private var tracks: [Int?]

    init(of observations: [FaceObservation], to tracks: [Track], at time: Double) {
        self.tracks = Array(repeating: nil, count: observations.count)
        var isTaken = Array(repeating: false, count: tracks.count)
        for (index, observation) in observations.enumerated() {
            guard let track = tracks.firstIndex(where: { $0.lineage == observation.lineage }), !isTaken[track] else {
                continue
            }
            self.tracks[index] = track
            isTaken[track] = true
        }
        while let (index, track) = nearest(observations, tracks, isTaken, time) {
            self.tracks[index] = track
            isTaken[track] = true
        }
    }

    /// The index of the track that an observation belongs to; nil if it is a new face.
    func track(of observation: Int) -> Int? { tracks[observation] }

    private func nearest(
        _ observations: [FaceObservation],
        _ candidates: [Track],
        _ isTaken: [Bool],
        _ time: Double
    ) -> (observation: Int, track: Int)? {
        var best: (observation: Int, track: Int, distance: Double)?
        for (index, observation) in observations.enumerated() where tracks[index] == nil {
            for (track, candidate) in candidates.enumerated() where !isTaken[track] {
                let gap = min(time - candidate.lastSeen.mediaTime, Self.longestGap)
                guard let distance = Self.distance(observation.bounds, candidate.bounds),
                    distance < 0.7 + 1.5 * gap, distance < best?.distance ?? .infinity
                else { continue }
                best = (index, track, distance)
            }
        }
        return best.map { ($0.observation, $0.track) }
    }

    /// The distance of the centres in units of the mean face size; nil if the sizes differ too much for one face.
    static func distance(_ one: NormalizedRect, _ other: NormalizedRect) -> Double? {
        let ratio = one.height / other.height
        guard ratio > 0.55, ratio < 1.8 else { return nil }
        let width = (one.width + other.width) / 2
        let height = (one.height + other.height) / 2
        let dx = (one.center.x - other.center.x) / width
        let dy = (one.center.y - other.center.y) / height
        return sqrt(dx * dx + dy * dy)
    }
}
