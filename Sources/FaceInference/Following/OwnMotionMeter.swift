/// Measures whether a face changes by itself, beyond what moves its picture as a whole. The face of a poster never
/// does, however the camera sways, the light changes and the picture is noisy.
///
/// It compares the face with an earlier frame as `UnchangedFace` does, but wherever the face is now, and for as long as
/// nothing changes. The earlier frame follows the later ones slowly, so that wandering shadows do not count.
final class OwnMotionMeter {
    /// The seconds between two comparisons, and from a change to the next frame to compare with.
    private static let interval = 0.095
    private static let pause = 1.0
    /// The seconds over which the earlier frame is adapted to the later ones.
    private static let following = 10.0
    /// A part has changed if its residual exceeds the noise by this multiple of `UnchangedFace`'s tolerance. For 78
    /// portraits as posters, 99.9 % of the comparisons give less than 2, at most 6.4; faces of people soon exceed 10.
    private static let threshold: Float = 5
    /// The brightness above which pixels may be clipped.
    private static let brightest: Float = 225
    /// Distances, in cells, from which on a fit's move of the face is repeated, and by which it may move it at most.
    private static let precision: Float = 0.2
    private static let step: Float = 1.5
    private static let mostRounds = 6

    typealias Workspace = UnchangedFace.Workspace

    private let picture = UnchangedFace()
    /// The face's last region in upright pictures of width 1, and its side in the earlier frame; 0 without one.
    private var place = CropRegion(center: .zero, side: 0)
    private var earlierSide: Float = 0
    private var comparedAt = 0.0
    private var dueAt = -Double.infinity

    /// The last region of the face, in an upright picture of that size.
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

    /// Whether the face looks as before, near its last region or else in another one.
    func isUnchanged(_ other: CropRegion? = nil, in frame: Frame, _ workspace: Workspace) -> Bool {
        defer { comparedAt = frame.stamp.mediaTime }
        let places = [region(in: frame.uprightSize), other].compactMap(\.self)
        return places.contains { isUnchanged(at: $0, in: frame, workspace) }
    }

    private func isUnchanged(at start: CropRegion, in frame: Frame, _ workspace: Workspace) -> Bool {
        let cells = workspace.cells
        let weights = workspace.weights
        let upright = frame.orientation.storedFromUpright(stored: frame.size).inverse
        var place = start
        for _ in 0..<Self.mostRounds {
            let rectangle = UnchangedFace.rectangle(around: place).stored(in: frame)
            guard workspace.grid.sample(frame, rectangle, into: cells.base) else { return false }
            for block in cells.indices {
                let isClipped = cells[block] .> Self.brightest .| picture.reference[block] .> Self.brightest
                weights[block] = picture.mask[block].replacing(with: 0, where: isClipped)
            }
            let fitted = picture.fit(to: cells, weights, picture.products(weights))
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
            // The face's middle keeps its place when the grid grows.
            let middle = (picture.center + 0.5 - Float(UnchangedFace.side) / 2) * (1 - scale)
            let shift = (SIMD2(motion.x, motion.y) + middle) * cell
            let center = (rectangle.low + rectangle.high) / 2 - 0.5
            place = CropRegion(center: upright(center + shift), side: place.side * scale)
        }
        return false
    }

    /// Whether the residual of a fit, in the cells, is only noise. An evenly lighter or darker part is unchanged.
    private func isNoise(_ fitted: SIMD8<Float>, _ cells: Cells, squares: Cells) -> Bool {
        for block in cells.indices {
            cells[block] = picture.residual(of: cells, block, fitted) * squares[block]
            squares[block] = cells[block] * cells[block]
        }
        let noise = UnchangedFace.noise(picture.flat.lazy.map { squares.numbers[$0] }.filter { $0 > 0 })
        return picture.zones.allSatisfy { zone in
            let mean = UnchangedFace.mean(cells, in: zone)
            return UnchangedFace.mean(squares, in: zone) - mean * mean - noise <= Self.threshold * zone.tolerance
        }
    }

    private func follow(_ residual: Cells, to place: CropRegion, in frame: Frame) {
        let share = min(max((frame.stamp.mediaTime - comparedAt) / Self.following, 0), 0.5)
        for block in residual.indices { picture.reference[block] += residual[block] * Float(share) }
        self.place = place.scaled(by: 1 / Float(frame.uprightSize.width))
    }
}
