import FaceMetadata
import Frames

/// Measures whether a face changes by itself, beyond what moves its picture as a whole: that of a poster never does, however the
/// camera sways, the light changes and the picture is noisy.
///
/// It compares the face with an earlier frame as `UnchangedFace` does, but wherever it is now and for as long as nothing changes. The
/// earlier frame follows the later ones slowly, so that shadows that wander count for nothing.
final class OwnMotionMeter {
    /// Seconds between two comparisons, and from a change to the next frame to compare with.
    private static let (interval, pause) = (0.095, 1.0)
    /// Over how many seconds the earlier frame follows.
    private static let following = 10.0
    /// From how many of `UnchangedFace`'s tolerances above the noise on a part has changed. With 78 portraits as posters, 99.9 % of
    /// the comparisons are below 2, the largest is 6.4; the faces of 26 clips of people are above 10 within three seconds.
    private static let threshold: Float = 5
    /// What is brighter may be clipped.
    private static let brightest: Float = 225
    /// In cells: a fit that moves the face by more than the first is repeated from there, and by the second at most.
    private static let (precision, step): (Float, Float) = (0.2, 1.5)
    private static let mostRounds = 6

    typealias Workspace = UnchangedFace.Workspace

    private let picture = UnchangedFace()
    /// Where the face was found last, and how large it was in the earlier frame, in upright pictures with a width of 1; 0 while there
    /// is no earlier frame.
    private var place = CropRegion(center: .zero, side: 0)
    private var earlierSide: Float = 0
    private var comparedAt = 0.0
    private var dueAt = -Double.infinity

    /// Where the face is in an upright picture of that size.
    func region(in size: FrameSize) -> CropRegion { place.scaled(by: Float(size.width)) }

    /// Compares a face that was followed into a frame with an earlier one.
    /// - Returns: Nil if it is too early for another comparison.
    func measure(_ face: FollowedFace, in frame: Frame, _ workspace: Workspace) -> FaceObservation.OwnMotion? {
        let time = frame.stamp.mediaTime
        guard time >= dueAt || time < comparedAt else { return nil }
        dueAt = time + Self.interval
        defer { comparedAt = time }
        guard earlierSide > 0 else {
            picture.computed(face.landmarks, in: frame, workspace)
            place = face.region.scaled(by: 1 / Float(frame.uprightSize.width))
            earlierSide = place.side
            return .rest(size: 1)
        }
        if isUnchanged(face.region, in: frame, workspace) { return .rest(size: Double(place.side / earlierSide)) }
        earlierSide = 0
        dueAt = time + Self.pause
        return .movement
    }

    /// Whether the face looks as before: near where it was, or else in a region.
    func isUnchanged(_ other: CropRegion? = nil, in frame: Frame, _ workspace: Workspace) -> Bool {
        defer { comparedAt = frame.stamp.mediaTime }
        let places = [region(in: frame.uprightSize), other].compactMap(\.self)
        return places.contains { isUnchanged(at: $0, in: frame, workspace) }
    }

    private func isUnchanged(at start: CropRegion, in frame: Frame, _ workspace: Workspace) -> Bool {
        let (cells, weights) = (workspace.cells, workspace.weights)
        let upright = frame.orientation.storedFromUpright(stored: frame.size).inverse
        var place = start
        for _ in 0..<Self.mostRounds {
            let rectangle = UnchangedFace.rectangle(around: place).stored(in: frame)
            guard workspace.grid.sample(frame, rectangle, into: cells.base) else { return false }
            for block in cells.indices {
                let isClipped = cells[block] .> Self.brightest .| picture.reference[block] .> Self.brightest
                weights[block] = picture.mask[block].replacing(with: 0, where: isClipped)
                cells[block] -= picture.reference[block]
            }
            let fitted = picture.solution(for: picture.sums(weights) { cells[$0] }, picture.products(weights))
            let limit = SIMD4(repeating: Self.step)
            let motion = SIMD4(fitted[0], fitted[1], fitted[2], 0).clamped(lowerBound: -limit, upperBound: limit)
            let scale = 1 + 2 * motion.z / (picture.radius.x + picture.radius.y)
            guard motion.magnitude.max() > Self.precision else {
                guard isNoise(fitted, cells, squares: weights) else { return false }
                place.side *= scale
                follow(cells, to: place, in: frame)
                return true
            }
            let cell = rectangle.size.x / Float(UnchangedFace.side)
            // The face's middle stays where it is when the grid grows.
            let middle = (picture.center + 0.5 - Float(UnchangedFace.side) / 2) * (1 - scale)
            let shift = (SIMD2(motion.x, motion.y) + middle) * cell
            let center = (rectangle.low + rectangle.high) / 2 - 0.5
            place = CropRegion(center: upright(center + shift), side: place.side * scale)
        }
        return false
    }

    /// Whether what a fit does not explain, which it leaves in the cells, is no more than noise. A part that is lighter or darker
    /// as a whole has not changed.
    private func isNoise(_ fitted: SIMD8<Float>, _ cells: Cells, squares: Cells) -> Bool {
        for block in cells.indices {
            cells[block] = picture.rest(of: cells, block, fitted) * squares[block]
            squares[block] = cells[block] * cells[block]
        }
        let noise = UnchangedFace.noise(picture.flat.lazy.map { squares.numbers[$0] }.filter { $0 > 0 })
        return picture.zones.allSatisfy { zone in
            let mean = UnchangedFace.mean(cells, in: zone)
            return UnchangedFace.mean(squares, in: zone) - mean * mean - noise <= Self.threshold * zone.tolerance
        }
    }

    private func follow(_ rest: Cells, to place: CropRegion, in frame: Frame) {
        let share = min(max((frame.stamp.mediaTime - comparedAt) / Self.following, 0), 0.5)
        for block in rest.indices { picture.reference[block] += rest[block] * Float(share) }
        self.place = place.scaled(by: 1 / Float(frame.uprightSize.width))
    }
}
