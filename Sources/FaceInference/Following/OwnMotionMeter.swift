/// Measures whether a face changes by itself, not only because its picture moves as a whole. The face of a poster never
/// does, even if the camera sways, the light changes and the picture is noisy.
///
/// It compares the face with a reference frame as `UnchangedFace` does, but finds the face wherever it is now, and
/// keeps the reference until the face changes. The reference slowly adapts, so that wandering shadows do not count.
final class OwnMotionMeter {
    /// The interval between comparisons, in seconds. The face is stored anew `pause` seconds after a change.
    private static let interval = 0.095
    private static let pause = 1.0
    /// The time constant, in seconds, with which the stored picture of the face adapts to later frames.
    private static let following = 10.0
    /// The multiple of `UnchangedFace`'s tolerance above which a part of the face has changed. For 78 portraits shown
    /// as posters, 99.9 % of the comparisons gave less than 2, and none more than 6.4. Faces of people soon exceed 10.
    private static let threshold: Float = 5
    /// The brightness, 0…255, above which cells are ignored because their pixels may be clipped.
    private static let brightest: Float = 225
    /// The motion, in cells, above which the fit is repeated at the new place, at most `mostRounds` times. Each fit
    /// moves the face by at most `step`.
    private static let precision: Float = 0.2
    private static let step: Float = 1.5
    private static let mostRounds = 6

    typealias Workspace = UnchangedFace.Workspace

    private let picture = UnchangedFace()
    /// The face's last region, in picture widths. `earlierSide` is its side when the face was stored; 0 before that.
    private var place = CropRegion(center: .zero, side: 0)
    private var earlierSide: Float = 0
    private var comparedAt = 0.0
    private var dueAt = -Double.infinity

    /// Returns the last region of the face, in pixels of an upright picture of this size.
    func region(in size: FrameSize) -> CropRegion { place.scaled(by: Float(size.width)) }

    /// Returns whether a followed face has moved by itself since its picture was stored; nil if no comparison is due.
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

    /// Whether the face still looks as in the stored picture, near its last region or near the region `other`.
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
            // The face's centre stays in place when the grid grows.
            let middle = (picture.center + 0.5 - Float(UnchangedFace.side) / 2) * (1 - scale)
            let shift = (SIMD2(motion.x, motion.y) + middle) * cell
            let center = (rectangle.low + rectangle.high) / 2 - 0.5
            place = CropRegion(center: upright(center + shift), side: place.side * scale)
        }
        return false
    }

    /// Whether a fit leaves only noise, or an even change of light, in every part of the face. Overwrites the cells.
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
