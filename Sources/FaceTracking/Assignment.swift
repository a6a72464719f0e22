import FaceMetadata
import Glibc

/// Which of the followed faces each observation is.
///
/// The landmark model follows a face from frame to frame under one lineage, which settles most of it. A face that was lost
/// for a moment and detected anew is the one whose predicted path it lies nearest to, in units of the face's size; the
/// longer it was lost, the farther from the path it may be.
enum Assignment {
    /// After so many seconds unseen, the default patience, the path and the distance allowed grow no more: a longer
    /// patience must not give an identity to the next person who comes, wherever that is.
    private static let longestGap = 0.7
    /// How far from its path a face may be, in units of its size, at once and for each second unseen.
    ///
    /// Found on clips with people who pass behind each other and stand up; 0.7 to 1.5 and 1 to 3 give the same.
    private static let allowance = (base: 0.9, perSecond: 1.5)

    /// The index of the track that each observation belongs to; nil for a new face.
    static func tracks(of observations: [FaceObservation], among tracks: [Track], at time: Double) -> [Int?] {
        var isTaken = Array(repeating: false, count: tracks.count)
        var assigned = observations.map { observation -> Int? in
            let track = tracks.firstIndex { $0.lineage == observation.lineage }
            guard let track, !isTaken[track] else { return nil }
            isTaken[track] = true
            return track
        }
        func nearest() -> (observation: Int, track: Int)? {
            var best: (observation: Int, track: Int, distance: Double)?
            for (index, observation) in observations.enumerated() where assigned[index] == nil {
                for (track, candidate) in tracks.enumerated() where !isTaken[track] {
                    let gap = min(max(0, time - candidate.lastSeen.mediaTime), longestGap)
                    let end = candidate.path.predicted(after: gap)
                    guard let distance = distance(of: observation.bounds, from: candidate.bounds, to: end),
                        distance < allowance.base + allowance.perSecond * gap,
                        distance < best?.distance ?? .infinity
                    else { continue }
                    best = (index, track, distance)
                }
            }
            return best.map { ($0.observation, $0.track) }
        }
        while let (index, track) = nearest() { (assigned[index], isTaken[track]) = (track, true) }
        return assigned
    }

    /// How far the centre of a face lies from the line from another one's centre to where that one may have moved.
    ///
    /// - Returns: Units of the mean face size; nil if the sizes differ too much for one face.
    static func distance(of new: NormalizedRect, from old: NormalizedRect, to end: NormalizedPoint) -> Double? {
        let ratio = new.height / old.height
        guard ratio > 0.55, ratio < 1.8 else { return nil }
        let size = SIMD2((new.width + old.width) / 2, (new.height + old.height) / 2)
        let start = old.center.vector / size
        let (line, point) = (end.vector / size - start, new.center.vector / size - start)
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
        return NormalizedPoint(last.center.vector + (last.center.vector - first.center.vector) / interval * seconds)
    }
}
