/// Decides which followed face, or track, each observation belongs to. Most observations have their track's lineage, a
/// number that changes only with a new detection. A lost face that is detected anew belongs to the track with the
/// nearest predicted path, in units of the face's size. The longer it was lost, the farther away it may be.
enum Assignment {
    /// How long a face may be unseen, in seconds, before its predicted path and the allowed distance stop growing. If
    /// they grew on, with a long `patience`, a person anywhere in the picture would get the lost face's identity.
    private static let longestGap = 0.7
    /// The maximum distance of a face from the predicted path, in face sizes: `base` plus `perSecond` times the seconds
    /// unseen. Found on clips of people who pass behind others or stand up; 0.7 to 1.5 and 1 to 3 work as well.
    private static let allowance = (base: 0.9, perSecond: 1.5)
    /// The limits for recognizing a new face as one that was kept while unseen. `distance` is in units of the face's
    /// size. If no clothes are visible, the face must return within `secondsWithoutClothes`. Source: docs/accuracy.md.
    private static let returning = (distance: 1.5, sizeRatio: 1.6, similarity: 0.7, secondsWithoutClothes: 2.0)

    /// Returns the index of each observation's track; nil for a new face.
    static func tracks(of observations: [FaceObservation], among tracks: [Track], at time: Double) -> [Int?] {
        var assigned = [Int?](repeating: nil, count: observations.count)
        func isFree(_ track: Int) -> Bool { !assigned.contains(track) }
        for (index, observation) in observations.enumerated() {
            let track = tracks.firstIndex { $0.lineage == observation.lineage }
            guard let track, isFree(track) else { continue }
            // A track that has not entered may turn out to be a held face once its clothes come into view. They are not
            // measured on an observation that is carried over.
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
        while let found = nearest() { assigned[found.observation] = found.track }
        return assigned
    }

    private static func distance(of seen: FaceObservation, fromPathOf track: Track, at time: Double) -> Double? {
        let gap = min(max(0, time - track.lastSeen.mediaTime), longestGap)
        return distance(of: seen.bounds, from: track.bounds, to: track.path.predicted(after: gap))
            .flatMap { $0 < allowance.base + allowance.perSecond * gap ? $0 : nil }
    }

    /// Returns the distance of a new face from a track kept while unseen, or last seen before a scene cut; nil if they
    /// do not match. Without visible clothes, only a kept face can match, and only for `secondsWithoutClothes`.
    private static func distance(of seen: FaceObservation, fromHeld track: Track, at time: Double) -> Double? {
        let ratio = seen.bounds.height / track.bounds.height
        guard max(ratio, 1 / ratio) <= returning.sizeRatio,
            let distance = distance(of: seen.bounds, from: track.bounds, to: track.bounds.center),
            distance <= returning.distance
        else { return nil }
        let isSame =
            if let now = seen.clothes, let then = track.clothes {
                now.similarity(to: then) >= returning.similarity
            } else { !track.wasCut && time - track.lastSeen.mediaTime <= returning.secondsWithoutClothes }
        return isSame ? distance : nil
    }

    /// Returns the distance of the new face's centre from the line segment between the old one's centre and `end`, in
    /// units of their mean size; nil if the sizes differ too much for the same face.
    static func distance(of new: NormalizedRect, from old: NormalizedRect, to end: NormalizedPoint) -> Double? {
        let ratio = new.height / old.height
        guard ratio > 0.55, ratio < 1.8 else { return nil }
        let size = SIMD2((new.width + old.width) / 2, (new.height + old.height) / 2)
        let start = old.center.vector / size
        let line = end.vector / size - start
        let point = new.center.vector / size - start
        let lengthSquared = (line * line).sum()
        let share = lengthSquared > 0 ? min(1, max(0, (point * line).sum() / lengthSquared)) : 0
        let offset = point - share * line
        return (offset * offset).sum().squareRoot()
    }
}

/// The latest positions of a face, from which its motion is extrapolated.
struct FacePath: Sendable {
    private var points = History<(time: Double, center: NormalizedPoint)>(capacity: 4)

    mutating func append(_ bounds: NormalizedRect, at time: Double) { points.append((time, bounds.center)) }

    /// Predicts the face's centre if the face moves on for `seconds` at its latest velocity.
    func predicted(after seconds: Double) -> NormalizedPoint {
        guard let last = points.last else { return NormalizedPoint(x: 0, y: 0) }
        let first = points[points.first]
        let interval = last.time - first.time
        guard interval > 0 else { return last.center }
        return NormalizedPoint(last.center.vector + (last.center.vector - first.center.vector) / interval * seconds)
    }
}
