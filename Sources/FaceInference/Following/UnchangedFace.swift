/// Decides whether a face still looks as it did when its landmarks were last computed, so that they can be reused.
///
/// It compares the brightness of 48 × 48 cells around the face. A small shift, scaling, turn and change of light are
/// fitted and removed. What remains in the eyes, the mouth and the whole face must be within the noise plus a
/// tolerance, which depends on the contrast there. While the smile level is low, one frame may differ outside the eyes.
final class UnchangedFace {
    /// The number of cells along each side of the square grid that is laid over a face.
    static let side = 48
    static let count = side * side
    /// The grid's side as a fraction of that of the landmark model's crop. They are 1.3 and 1.5 times the mesh's side.
    private static let margin: Float = 1.3 / 1.5
    /// The maximum number of frames in a row without computed landmarks.
    private static let mostSkips = 9
    /// The maximum time without computed landmarks, in seconds, for low frame rates.
    private static let longestPause = 0.5
    /// The maximum time to reuse landmarks, in seconds, if just the eyes are unchanged: one frame at 25 or 30 fps.
    static let longestLag = 0.045
    /// The smile level at which landmarks are no longer reused for `longestLag`. In single frames, talking looks like a
    /// smile and differs only in the speed of the lips, which is measured worse with fewer frames. On the labelled
    /// clips two smiles are false without this limit, none with 0.2, 0.3 or 0.4.
    static let mostSmileInLag = 0.3
    /// The distance, in cells, that a point of the face's outline may move before the landmarks are computed again.
    private static let mostMotion: Float = 0.7
    // How far an edge in a part of the face may move, in cells: more than by noise, less than in a blink or at the
    // beginning of a smile. Chosen on labelled clips so that the events are the same as with every frame computed.
    private static let eyeTolerance: Float = 0.28
    private static let mouthTolerance: Float = 0.20
    private static let faceTolerance: Float = 0.28
    /// The minimum squared contrast, in squared grey levels per cell, that is assumed for a part of the face.
    private static let leastContrast: Float = 4
    /// The fraction of the cells in which the noise is measured: those with the least contrast.
    private static let flatShare = 0.4
    /// The median of the square of a standard normal variable.
    private static let medianOfSquare: Float = 0.455
    /// The maximum variance of the noise that is assumed, in squared grey levels.
    private static let mostNoise: Float = 400

    /// A part of the grid, such as an eye, in which a change means that the landmarks must be computed again.
    struct Zone {
        fileprivate var columns: Range<Int>
        fileprivate var rows: Range<Int>
        /// The maximum mean squared difference, beyond noise, from the same part when landmarks were last computed.
        var tolerance: Float
        /// Whether this part of the face is an eye, in which a change must be noticed at once.
        fileprivate var isEye = false
    }

    /// The brightness of the cells when the landmarks were last computed.
    let reference = Cells(count: UnchangedFace.count)
    /// Each cell's change per unit of shift right, shift down, scaling, turn and gain: five vectors per four cells.
    let effects = Cells(count: 5 * UnchangedFace.count)
    /// The weight of each cell: 1 inside the face's ellipse, 0 outside.
    let mask = Cells(count: UnchangedFace.count)
    /// The normal matrix of the least-squares fit inside the ellipse, by rows: sums of products of the effects.
    private var products = InlineArray<5, SIMD8<Float>>(repeating: .zero)
    /// The indices of the cells with the least contrast, in which the noise is measured.
    private(set) var flat: [Int] = []
    private(set) var zones: [Zone] = []
    // The ellipse is in cells, the grid's rectangle in pixels of the stored picture.
    private(set) var center = SIMD2<Float>.zero
    private(set) var radius = SIMD2<Float>.one
    private var rectangle = LuminanceGrid.Rectangle(.zero, .zero)
    private var size = FrameSize(width: 0, height: 0)
    private var skips = UnchangedFace.mostSkips
    private var computedAt = 0.0
    /// Whether landmarks may be reused for one frame if just the eyes are unchanged, because the smile level is low.
    private var canLag = false

    /// Temporary memory that all faces of an analyzer share.
    final class Workspace {
        let grid = LuminanceGrid(columns: UnchangedFace.side, rows: UnchangedFace.side)
        let cells = Cells(count: UnchangedFace.count)
        /// The weights of the cells that `OwnMotionMeter` compares.
        let weights = Cells(count: UnchangedFace.count)
    }

    func computed(_ landmarks: FaceLandmarks, in frame: Frame, _ workspace: Workspace) {
        let geometry = FaceGeometry(landmarks)
        let region = CropRegion(around: landmarks)
        rectangle = Self.rectangle(around: region).stored(in: frame)
        size = frame.size
        computedAt = frame.stamp.mediaTime
        canLag = geometry.mouthShape.smileLevel < Self.mostSmileInLag
        // If the grid cannot be read, the next frame's landmarks are computed.
        skips = Self.mostSkips
        guard region.side >= 10, workspace.grid.sample(frame, rectangle, into: reference.base) else { return }
        skips = 0
        measureSlopes(workspace.cells)
        chooseZones(geometry, in: frame, contrast: workspace.cells)
        prepareFit(to: zones[zones.count - 1])
    }

    /// Returns the part of the upright picture around a face that the grid covers.
    static func rectangle(around face: CropRegion) -> LuminanceGrid.Rectangle {
        .init(around: face.center, .init(repeating: margin * face.side / 2))
    }

    /// Returns the face's motion in the upright picture since its landmarks were computed; nil if new ones are needed.
    func motion(in frame: Frame, _ workspace: Workspace) -> AffineTransform? {
        let pause = frame.stamp.mediaTime - computedAt
        guard skips < Self.mostSkips, frame.size == size, pause >= 0, pause < Self.longestPause,
            workspace.grid.sample(frame, rectangle, into: workspace.cells.base),
            let motion = motion(to: workspace.cells, eyesOnly: canLag && pause < Self.longestLag)
        else { return nil }
        skips += 1
        let stored = frame.orientation.storedFromUpright(stored: frame.size)
        return stored.then(motion).then(stored.inverse)
    }

    // MARK: When the landmarks are computed

    /// The side of a cell in pixels of the stored picture.
    private var cellSide: Float { rectangle.size.x / Float(Self.side) }

    private func chooseZones(_ geometry: FaceGeometry, in frame: Frame, contrast: Cells) {
        func add(_ middle: SIMD2<Float>, _ half: SIMD2<Float>, _ tolerance: Float, isEye: Bool = false) {
            let part = LuminanceGrid.Rectangle(around: middle, half).stored(in: frame)
            let (columns, rows) = part.cells(columns: Self.side, rows: Self.side, over: rectangle)
            // Garbage landmarks may be outside of the grid.
            guard !columns.isEmpty, !rows.isEmpty else { return }
            var zone = Zone(columns: columns, rows: rows, tolerance: tolerance * tolerance, isEye: isEye)
            zone.tolerance *= max(Self.mean(contrast, in: zone), Self.leastContrast)
            zones.append(zone)
        }
        zones.removeAll(keepingCapacity: true)
        for eye in FaceMeshIndices.eyes {
            let (middle, _, _, width) = geometry.cornerLine(of: eye)
            let half = SIMD2(max(2 * cellSide, 0.65 * width), max(1.5 * cellSide, 0.4 * width))
            add(middle, half, Self.eyeTolerance, isEye: true)
        }
        let lips = geometry.position(FaceMeshIndices.upperLipInner) + geometry.position(FaceMeshIndices.lowerLipInner)
        let corners = geometry.distance(FaceMeshIndices.leftMouthCorner, FaceMeshIndices.rightMouthCorner)
        add(lips / 2, max(4 * cellSide, corners) * SIMD2(0.65, 0.5), Self.mouthTolerance)
        let (low, high) = geometry.landmarks.box
        add((low + high) / 2, (high - low) / 2, Self.faceTolerance)
    }

    /// Computes the effects of shifts from the slopes of the brightness in `reference`; `contrast` gets their squares.
    private func measureSlopes(_ contrast: Cells) {
        let width = Self.side / Cells.Vector.scalarCount
        for block in reference.indices {
            let (row, column, here) = (block / width, block % width, reference[block])
            let above = max(row - 1, 0)
            let below = min(row + 1, Self.side - 1)
            let down =
                (reference[block + (below - row) * width] - reference[block + (above - row) * width])
                / Float(below - above)
            let (isFirst, isLast) = (column == 0, column == width - 1)
            let before = Cells.Vector(isFirst ? here[0] : reference[block - 1][3], here[0], here[1], here[2])
            let after = Cells.Vector(here[1], here[2], here[3], isLast ? here[3] : reference[block + 1][0])
            let right = (after - before) / Cells.Vector(isFirst ? 1 : 2, 2, 2, isLast ? 1 : 2)
            effects[5 * block] = -right
            effects[5 * block + 1] = -down
            contrast[block] = right * right + down * down
        }
        let limit = quantile(Self.flatShare, of: contrast.numbers)
        flat.removeAll(keepingCapacity: true)
        for index in 0..<Self.count where contrast.numbers[index] <= limit { flat.append(index) }
    }

    /// Prepares the least-squares fit to the cells inside the ellipse that fills the zone of the whole face.
    private func prepareFit(to face: Zone) {
        let ends = SIMD2(face.columns.lowerBound + face.columns.upperBound, face.rows.lowerBound + face.rows.upperBound)
        center = (SIMD2<Float>(ends) - 1) / 2
        radius = SIMD2(max(3, Float(face.columns.count) / 2), max(3, Float(face.rows.count) / 2))
        for block in reference.indices {
            let u = (Cells.Vector(0, 1, 2, 3) + Float(4 * block % Self.side) - center.x) / radius.x
            let v = (Float(4 * block / Self.side) - center.y) / radius.y
            let right = effects[5 * block]
            let down = effects[5 * block + 1]
            effects[5 * block + 2] = u * right + v * down
            effects[5 * block + 3] = u * down - v * right
            effects[5 * block + 4] = reference[block] + 4
            mask[block] = Cells.Vector.zero.replacing(with: 1, where: u * u + v * v .<= 1)
        }
        products = products(mask)
    }

    /// Returns the normal matrix of a least-squares fit to the cells with these weights.
    func products(_ weights: Cells) -> InlineArray<5, SIMD8<Float>> {
        var inside = Cells.Vector.zero
        for block in weights.indices { inside += weights[block] }
        // A penalty keeps motions small unless the picture says otherwise. A face without contrast says nothing.
        let penalty = 0.4 * inside.sum()
        var products = InlineArray<5, SIMD8<Float>>(repeating: .zero)
        for index in 0..<5 {
            products[index] = sums(weights) { effects[5 * $0 + index] }
            products[index][index] += index < 4 ? penalty : 1
        }
        return products
    }

    // MARK: In each frame

    /// Returns, for each effect, the weighted sum over all cells of the effect times `vector`.
    @inline(__always)
    private func sums(_ weights: Cells, _ vector: (_ block: Int) -> Cells.Vector) -> SIMD8<Float> {
        var sums = InlineArray<5, Cells.Vector>(repeating: .zero)
        for block in weights.indices {
            let vector = vector(block) * weights[block]
            for index in 0..<5 { sums[index] += effects[5 * block + index] * vector }
        }
        var result = SIMD8<Float>.zero
        for index in 0..<5 { result[index] = sums[index].sum() }
        return result
    }

    /// Returns the motion that fits the cells best; nil if it is large or leaves more than noise. Overwrites the cells.
    private func motion(to cells: Cells, eyesOnly: Bool) -> AffineTransform? {
        let fitted = fit(to: cells, mask, products)
        // This form also refuses NaN.
        for index in 0..<4 where !(fitted[index].magnitude <= Self.mostMotion) { return nil }
        for block in cells.indices {
            let residual = residual(of: cells, block, fitted)
            cells[block] = residual * residual
        }
        let noise = Self.noise(flat.lazy.map { cells.numbers[$0] })
        let isUnchanged = zones.allSatisfy { zone in
            (eyesOnly && !zone.isEye) || Self.mean(cells, in: zone) <= noise + zone.tolerance
        }
        guard isUnchanged else { return nil }
        let scale = fitted[2] / radius
        let turn = fitted[3] / radius
        let shift = SIMD2(fitted[0], fitted[1]) * cellSide
        let middle = rectangle.low + (center + 0.5) * cellSide - 0.5
        let tx = shift.x - scale.x * middle.x + turn.y * middle.y
        let ty = shift.y - turn.x * middle.x - scale.y * middle.y
        return AffineTransform(a: 1 + scale.x, b: -turn.y, c: turn.x, d: 1 + scale.y, tx: tx, ty: ty)
    }

    /// Returns one vector of cells minus what the fitted motion and change of light explain.
    @inline(__always)
    func residual(of cells: Cells, _ block: Int, _ fitted: SIMD8<Float>) -> Cells.Vector {
        var residual = cells[block]
        for index in 0..<5 { residual -= fitted[index] * effects[5 * block + index] }
        return residual
    }

    /// Estimates the variance of the noise from the squared residuals of cells without contrast.
    static func noise(_ squares: some Collection<Float>) -> Float {
        min(quantile(0.5, of: squares) / medianOfSquare, mostNoise)
    }

    /// Subtracts `reference` from the cells, and fits the effects to the difference by weighted least squares. The
    /// elimination needs no pivoting, because the penalties make the normal equations positive definite.
    func fit(to cells: Cells, _ weights: Cells, _ products: InlineArray<5, SIMD8<Float>>) -> SIMD8<Float> {
        for block in cells.indices { cells[block] -= reference[block] }
        let sums = sums(weights) { cells[$0] }
        var rows = products
        for index in 0..<5 { rows[index][5] = sums[index] }
        for pivot in 0..<5 {
            rows[pivot] /= rows[pivot][pivot]
            for row in 0..<5 where row != pivot { rows[row] -= rows[pivot] * rows[row][pivot] }
        }
        var result = SIMD8<Float>.zero
        for index in 0..<5 { result[index] = rows[index][5] }
        return result
    }

    static func mean(_ cells: Cells, in zone: Zone) -> Float {
        var sum: Float = 0
        for row in zone.rows {
            for column in zone.columns { sum += cells.numbers[row * side + column] }
        }
        return sum / Float(zone.columns.count * zone.rows.count)
    }
}
