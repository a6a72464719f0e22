/// The recent path of one face, smoothed with the sightings before and after, so that it neither lags nor trembles.
struct SmoothedPath {
    /// The seconds before and after a sighting from which other sightings smooth it.
    private static let reach = 0.16
    /// The spread, in seconds, of the weights of these sightings.
    private static let spread = 0.06
    /// Distance from the smoothed path, in shares of the face's size, from which on a sighting is a movement.
    private static let length = 0.025
    /// The angle, in degrees, by which a sighting must differ from the smoothed path to be a movement.
    private static let angle = 4.0
    /// The seconds before its first and after its last sighting in which a face at the picture's border may be there.
    private static let margin = 0.3
    /// The factor by which the area to hide is enlarged just before a face's first sighting and after its last.
    private static let growth = 1.15

    struct Sample {
        var time: Double
        var face: FaceObject
        var values: FaceValues
    }

    let track: Int
    var hasEntered: Bool { identity != nil }
    private(set) var identity: FaceID?
    private(set) var samples: [Sample] = []
    private(set) var start = 0.0
    var end: Double { samples.last?.time ?? -.infinity }

    mutating func append(_ face: FaceObject, at time: Double) {
        if samples.isEmpty { start = time }
        if face.faceID.rawValue > 0 { identity = face.faceID }
        samples.append(Sample(time: time, face: face, values: face.values()))
    }

    /// Forgets the sightings that no position from a time on depends on; the last one before that time stays.
    mutating func forget(before time: Double) {
        while samples.count > 2, samples[1].time < time - Self.reach { samples.removeFirst() }
    }

    /// The face at a time between its first and its last sighting; nil outside, and in a gap longer than `patience`.
    func face(at time: Double, patience: Double) -> FaceObject? {
        guard let next = samples.firstIndex(where: { $0.time >= time }) else { return nil }
        if samples[next].time == time { return face(samples[next].face, smoothed(next)) }
        guard next > 0 else { return nil }
        let before = samples[next - 1]
        let gap = samples[next].time - before.time
        guard gap <= patience + 0.05 else { return nil }
        let start = smoothed(next - 1)
        let way = smoothed(next).unwound(to: start) - start
        return face(before.face, start + way * ((time - before.time) / gap))
    }

    /// The area to hide shortly before a face's first sighting or after its last: for `patience` seconds if the face is
    /// inside the picture, where people do not come from nowhere.
    func face(beside time: Double, patience: Double) -> FaceObject? {
        guard let last = samples.last else { return nil }
        let index = time < start ? 0 : samples.count - 1
        let seen = samples[index]
        let distance = time - seen.time
        let longest = seen.face.bounds.isInside ? patience : Self.margin
        guard abs(distance) <= longest, time < start || time > last.time else { return nil }
        let slope = fit(around: index).slope
        var result = face(seen.face, smoothed(index))
        let way = SIMD2(slope[0] + slope[2], slope[1] + slope[3]) / 2 * distance
        // It moves by its own size at most, because the slope of a few sightings is uncertain.
        let size = result.bounds.size
        let center = result.bounds.center.vector + way.clamped(lowerBound: -size, upperBound: size)
        result.bounds = NormalizedRect(center: center, size: size * Self.growth)
        result.leftEye = nil
        result.rightEye = nil
        result.mouth = nil
        return result
    }

    /// The values of a sighting, on the line through those around it unless it moves away from that.
    private func smoothed(_ index: Int) -> FaceValues {
        let own = samples[index].values
        let line = fit(around: index).value
        var limits = FaceValues(repeating: Self.angle)
        let size = SIMD2(own[2] - own[0], own[3] - own[1])
        for index in 0..<10 { limits[index] = Self.length * max(size[index % 2], 1e-6) }
        let deviation = (own - line) / limits
        return line + (own - line) * pointwiseMin(deviation * deviation, FaceValues(repeating: 1))
    }

    /// The straight line through the values around a sighting, weighted by their distance in time.
    private func fit(around index: Int) -> (value: FaceValues, slope: FaceValues) {
        let middle = samples[index]
        // The sums of the weights, multiplied by the time, its square, the values, and both.
        var weights = 0.0
        var times = 0.0
        var squares = 0.0
        var sum = FaceValues.zero
        var moment = FaceValues.zero
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
        guard determinant > 1e-9 else { return (middle.values, .zero) }
        return ((squares * sum - times * moment) / determinant, (weights * moment - times * sum) / determinant)
    }

    private func face(_ seen: FaceObject, _ values: FaceValues) -> FaceObject {
        var face = seen.with(values)
        face.faceID = identity ?? FaceID(rawValue: -track)
        face.isSeen = true
        return face
    }
}

extension NormalizedRect {
    /// Whether the face is so far from the picture's border that it has not just come in and is not about to leave.
    var isInside: Bool {
        let margin = 0.35 * size
        return all((origin .> margin) .& (origin + size .< 1 - margin))
    }
}
