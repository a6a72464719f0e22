import FaceMetadata

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
    /// What a face that comes back to a held one must have: a distance in units of its size, a ratio of the sizes, a similarity of
    /// the clothes; where these are not in the picture, how soon it must be back, in seconds. From the experiment that
    /// docs/accuracy.md describes.
    private static let returning = (distance: 1.5, sizeRatio: 1.6, similarity: 0.7, secondsWithoutClothes: 2.0)

    /// The index of the track that each observation belongs to; nil for a new face.
    static func tracks(of observations: [FaceObservation], among tracks: [Track], at time: Double) -> [Int?] {
        var assigned = [Int?](repeating: nil, count: observations.count)
        func isFree(_ track: Int) -> Bool { !assigned.contains(track) }
        for (index, observation) in observations.enumerated() {
            let track = tracks.firstIndex { $0.lineage == observation.lineage }
            guard let track, isFree(track) else { continue }
            // Until it has entered, a face may turn out to be one that is held: its clothes come into view with it.
            // Where there was no time to measure it, they were not looked at.
            let held =
                tracks[track].face == nil && !observation.isCarriedOver
                ? tracks.indices.first { other in
                    tracks[other].hold != nil && isFree(other)
                        && distance(of: observation, fromHeld: tracks[other], at: time) != nil
                } : nil
            assigned[index] = held ?? track
        }
        func nearest() -> (observation: Int, track: Int, distance: Double)? {
            var best: (observation: Int, track: Int, distance: Double)?
            for (index, observation) in observations.enumerated() where assigned[index] == nil {
                for (track, candidate) in tracks.enumerated() where isFree(track) {
                    let distance =
                        candidate.hold == nil && !candidate.wasCut
                        ? distance(of: observation, fromPathOf: candidate, at: time)
                        : distance(of: observation, fromHeld: candidate, at: time)
                    guard let distance, distance < best?.distance ?? .infinity else { continue }
                    best = (index, track, distance)
                }
            }
            return best
        }
        while let found = nearest() {
            assigned[found.observation] = found.track
        }
        return assigned
    }

    private static func distance(of seen: FaceObservation, fromPathOf track: Track, at time: Double) -> Double? {
        let gap = min(max(0, time - track.lastSeen.mediaTime), longestGap)
        return distance(of: seen.bounds, from: track.bounds, to: track.path.predicted(after: gap))
            .flatMap { $0 < allowance.base + allowance.perSecond * gap ? $0 : nil }
    }

    /// How far a face lies from one that is held or was seen before a cut; nil if it is another one by its place, its size or its
    /// clothes.
    ///
    /// Without clothes in the picture it must come back soon, when another person cannot be there yet; after a cut one can.
    private static func distance(of seen: FaceObservation, fromHeld track: Track, at time: Double) -> Double? {
        let (one, other) = (seen.bounds, track.bounds)
        guard max(one.height / other.height, other.height / one.height) <= returning.sizeRatio,
            let distance = distance(of: one, from: other, to: other.center), distance <= returning.distance
        else { return nil }
        let isSame =
            if let now = seen.clothes, let then = track.clothes {
                now.similarity(to: then) >= returning.similarity
            } else { !track.wasCut && time - track.lastSeen.mediaTime <= returning.secondsWithoutClothes }
        return isSame ? distance : nil
    }

    /// How far the centre of a face lies from the line from another one's centre to where that one may have moved.
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
    /// Those that the velocity is taken from.
    private var points = History<(time: Double, center: NormalizedPoint)>(capacity: 4)

    mutating func append(_ bounds: NormalizedRect, at time: Double) { points.append((time, bounds.center)) }

    /// Where the face is if it went on for so many seconds as in its latest observations.
    func predicted(after seconds: Double) -> NormalizedPoint {
        guard let last = points.last else { return NormalizedPoint(x: 0, y: 0) }
        let first = points[points.first]
        let interval = last.time - first.time
        guard interval > 0 else { return last.center }
        return NormalizedPoint(last.center.vector + (last.center.vector - first.center.vector) / interval * seconds)
    }
}
