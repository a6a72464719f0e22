import FaceMetadata
import Glibc

/// Which of the followed faces each observation is.
///
/// The landmark model follows a face from frame to frame under one lineage, which settles most of it. A face that was lost
/// for a moment and detected anew is the one whose predicted path it lies nearest to, in units of the face's size; the
/// longer it was lost, the farther from the path it may be.
struct Assignment {
    /// After so many seconds unseen, the default patience, the path and the distance allowed grow no more: a longer
    /// patience must not give an identity to the next person who comes, wherever that is.
    private static let longestGap = 0.7
    /// How far from its path a face may be, in units of its size, at once and for each second unseen.
    ///
    /// Found on clips with people who pass behind each other and stand up; 0.7 to 1.5 and 1 to 3 give the same.
    private static let allowance = (base: 0.9, perSecond: 1.5)

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
                let gap = min(max(0, time - candidate.lastSeen.mediaTime), Self.longestGap)
                let end = candidate.path.predicted(after: gap)
                guard let distance = Self.distance(of: observation.bounds, from: candidate.bounds, to: end),
                    distance < Self.allowance.base + Self.allowance.perSecond * gap,
                    distance < best?.distance ?? .infinity
                else { continue }
                best = (index, track, distance)
            }
        }
        return best.map { ($0.observation, $0.track) }
    }

    /// How far the centre of a face lies from the line from another one's centre to where that one may have moved.
    ///
    /// - Returns: Units of the mean face size; nil if the sizes differ too much for one face.
    static func distance(of new: NormalizedRect, from old: NormalizedRect, to end: NormalizedPoint) -> Double? {
        let ratio = new.height / old.height
        guard ratio > 0.55, ratio < 1.8 else { return nil }
        let size = SIMD2((new.width + old.width) / 2, (new.height + old.height) / 2)
        let start = SIMD2(old.center.x, old.center.y) / size
        let line = SIMD2(end.x, end.y) / size - start
        let point = SIMD2(new.center.x, new.center.y) / size - start
        let lengthSquared = (line * line).sum()
        let share = lengthSquared > 0 ? min(1, max(0, (point * line).sum() / lengthSquared)) : 0
        let offset = point - share * line
        return (offset * offset).sum().squareRoot()
    }
}

/// Where a face has been in its latest observations, and where it is heading.
struct FacePath: Sendable {
    /// Over how many observations the velocity is taken.
    private static let length = 4

    private var points: [(time: Double, center: NormalizedPoint)] = []

    mutating func append(_ bounds: NormalizedRect, at time: Double) {
        if points.count == Self.length { points.removeFirst() }
        points.append((time, bounds.center))
    }

    /// Where the face is if it went on for so many seconds as in its latest observations.
    func predicted(after seconds: Double) -> NormalizedPoint {
        guard let first = points.first, let last = points.last else { return NormalizedPoint(x: 0, y: 0) }
        let interval = last.time - first.time
        guard interval > 0 else { return last.center }
        return NormalizedPoint(
            x: last.center.x + (last.center.x - first.center.x) / interval * seconds,
            y: last.center.y + (last.center.y - first.center.y) / interval * seconds
        )
    }
}
