import FaceMetadata
import Glibc
import OverlayRendering

/// Where one face is at any time of late, smoothed with what comes before and after, so that it neither lags nor trembles.
struct FacePath {
    /// Seconds before and after a sighting that smooth it, and the spread of their weights.
    private static let (reach, spread) = (0.16, 0.06)
    /// A sighting this far from the smoothed way is a movement and stands as it is; nearer ones tremble. Lengths in shares of
    /// the face's width and height, angles in degrees.
    private static let (length, angle) = (0.025, 4.0)
    /// How many seconds before its first sighting and after its last a face that must be hidden may be there already or still
    /// if it comes or goes through the picture's border, and how much larger it is assumed to be then.
    private static let (margin, growth) = (0.3, 1.15)

    private struct Sample {
        var time: Double
        var face: FaceObject
        var values: FaceValues
    }

    let track: Int
    let scene: Int
    var hasEntered: Bool { identity != nil }
    private var identity: FaceID?
    private var samples: [Sample] = []
    private var start = 0.0

    init(track: Int, scene: Int) { (self.track, self.scene) = (track, scene) }
    var end: Double { samples.last?.time ?? -.infinity }

    mutating func append(_ face: FaceObject, at time: Double) {
        if samples.isEmpty { start = time }
        if face.faceID.rawValue > 0 { identity = face.faceID }
        samples.append(Sample(time: time, face: face, values: face.values()))
    }

    /// Forgets what smooths nothing that is asked for from a time on; the last sighting before it stays.
    mutating func forget(before time: Double) {
        while samples.count > 2, samples[1].time < time - Self.reach { samples.removeFirst() }
    }

    /// The face at a time between its first and its last sighting; nil outside, and in a gap longer than `patience`.
    func face(at time: Double, patience: Double) -> FaceObject? {
        guard let next = samples.firstIndex(where: { $0.time >= time }) else { return nil }
        if samples[next].time == time { return face(samples[next].face, smoothed(next)) }
        guard next > 0 else { return nil }
        let (before, after) = (samples[next - 1], samples[next])
        guard after.time - before.time <= patience + 0.05 else { return nil }
        let share = (time - before.time) / (after.time - before.time)
        let (one, other) = (smoothed(next - 1), smoothed(next).unwound(to: smoothed(next - 1)))
        return face(before.face, one + (other - one) * share)
    }

    /// Where a face that must be hidden may be shortly before its first sighting, or after its last: for `patience` seconds if
    /// it is inside the picture, where people do not come from nowhere.
    func face(beside time: Double, patience: Double) -> FaceObject? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let (index, seen) = time < start ? (0, first) : (samples.count - 1, last)
        let distance = time - seen.time
        let longest = seen.face.bounds.isInside ? patience : Self.margin
        guard abs(distance) <= longest, time < start || time > last.time else { return nil }
        let slope = fit(around: index).slope
        var result = face(seen.face, smoothed(index))
        let (dx, dy) = ((slope[0] + slope[2]) / 2 * distance, (slope[1] + slope[3]) / 2 * distance)
        // It moves by its own size at most, because the slope of a few sightings is uncertain.
        let bounds = result.bounds
        let (width, height) = (bounds.width * Self.growth, bounds.height * Self.growth)
        result.bounds = NormalizedRect(
            x: bounds.center.x + max(-bounds.width, min(dx, bounds.width)) - width / 2,
            y: bounds.center.y + max(-bounds.height, min(dy, bounds.height)) - height / 2,
            width: width,
            height: height
        )
        (result.leftEye, result.rightEye, result.mouth) = (nil, nil, nil)
        return result
    }

    /// The values of a sighting, on the line through those around it unless it moves away from that.
    private func smoothed(_ index: Int) -> FaceValues {
        let (own, line) = (samples[index].values, fit(around: index).value)
        var limits = FaceValues(repeating: Self.angle)
        for (value, side) in [(0, own[2] - own[0]), (1, own[3] - own[1])] {
            for index in stride(from: value, to: 10, by: 2) { limits[index] = Self.length * max(side, 1e-6) }
        }
        let deviation = (own - line) / limits
        var share = deviation * deviation
        share.replace(with: FaceValues(repeating: 1), where: share .> 1)
        return line + (own - line) * share
    }

    /// The straight line through the values around a sighting, weighted by their distance in time.
    private func fit(around index: Int) -> (value: FaceValues, slope: FaceValues) {
        let middle = samples[index]
        var (weights, times, squares) = (0.0, 0.0, 0.0)
        var (sum, moment) = (FaceValues(repeating: 0), FaceValues(repeating: 0))
        var low = index
        while low > 0, middle.time - samples[low - 1].time <= Self.reach { low -= 1 }
        for sample in samples[low...] {
            let time = sample.time - middle.time
            guard time <= Self.reach else { break }
            let weight = exp(-time * time / (2 * Self.spread * Self.spread))
            let values = sample.values.unwound(to: middle.values)
            weights += weight
            times += weight * time
            squares += weight * time * time
            sum += weight * values
            moment += weight * time * values
        }
        let determinant = weights * squares - times * times
        guard determinant > 1e-9 else { return (middle.values, FaceValues(repeating: 0)) }
        return ((squares * sum - times * moment) / determinant, (weights * moment - times * sum) / determinant)
    }

    private func face(_ seen: FaceObject, _ values: FaceValues) -> FaceObject {
        var face = seen.placed(values)
        face.faceID = identity ?? FaceID(rawValue: -track)
        face.isSeen = true
        return face
    }
}

extension NormalizedRect {
    /// Whether it lies so far from the picture's border that what is there has not just come in and is not about to leave.
    var isInside: Bool {
        let (dx, dy) = (0.35 * width, 0.35 * height)
        return x > dx && y > dy && x + width < 1 - dx && y + height < 1 - dy
    }
}
