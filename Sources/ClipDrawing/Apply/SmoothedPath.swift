/// The recent path of one face, smoothed over its sightings (the frames that show it) without lag or jitter.
struct SmoothedPath {
    /// The maximum time, in seconds, between a sighting and the neighbours that smooth it.
    private static let reach = 0.16
    /// The standard deviation, in seconds, of the Gaussian that weights a sighting's neighbours by distance in time.
    private static let spread = 0.06
    /// The distance from the line through its neighbours, in face sizes, above which a point is not smoothed.
    private static let length = 0.025
    /// The difference from the line through its neighbours, in degrees, above which an angle is not smoothed.
    private static let angle = 4.0
    /// How long, in seconds, a face at the picture's border is hidden before its first sighting and after its last.
    private static let margin = 0.3
    /// The fixed factor by which the area that hides a face is enlarged before the first sighting and after the last.
    private static let growth = 1.15

    struct Sample {
        var time: Double
        var face: FaceObject
        var values: FaceValues
    }

    let track: Int
    /// The face's identity; nil until it has entered.
    private(set) var identity: FaceID?
    private(set) var samples: [Sample] = []
    private(set) var start = 0.0
    var end: Double { samples.last?.time ?? -.infinity }

    mutating func append(_ face: FaceObject, at time: Double) {
        if samples.isEmpty { start = time }
        if face.faceID.rawValue > 0 { identity = face.faceID }
        samples.append(Sample(time: time, face: face, values: face.values()))
    }

    /// Removes old sightings that have no influence on positions at or after `time`.
    mutating func forget(before time: Double) {
        while samples.count > 2, samples[1].time < time - Self.reach { samples.removeFirst() }
    }

    /// The smoothed face at a time; nil before the first sighting, after the last, and in a gap longer than `patience`.
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
    /// well inside the picture, where faces rarely come or go, and for `margin` seconds at the border.
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
        // The area moves by at most its own size, because the slope of a few sightings is uncertain.
        let size = result.bounds.size
        let center = result.bounds.center.vector + way.clamped(lowerBound: -size, upperBound: size)
        result.bounds = NormalizedRect(center: center, size: size * Self.growth)
        result.leftEye = nil
        result.rightEye = nil
        result.mouth = nil
        return result
    }

    /// The values of a sighting, moved towards the line fitted to its neighbours. Values far from the line do not move.
    private func smoothed(_ index: Int) -> FaceValues {
        let own = samples[index].values
        let line = fit(around: index).value
        var limits = FaceValues(repeating: Self.angle)
        let size = SIMD2(own[2] - own[0], own[3] - own[1])
        for index in 0..<10 { limits[index] = Self.length * max(size[index % 2], 1e-6) }
        let deviation = (own - line) / limits
        return line + (own - line) * pointwiseMin(deviation * deviation, FaceValues(repeating: 1))
    }

    /// The value and slope, at a sighting, of the line fitted to its neighbours, weighted by their distance in time.
    private func fit(around index: Int) -> (value: FaceValues, slope: FaceValues) {
        let middle = samples[index]
        // The weighted sums of 1, the time, its square, the values, and the values multiplied by the time.
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
    /// Whether a face with this rectangle is too far from the picture's border to have just entered or soon leave.
    var isInside: Bool {
        let margin = 0.35 * size
        return all((origin .> margin) .& (origin + size .< 1 - margin))
    }
}
