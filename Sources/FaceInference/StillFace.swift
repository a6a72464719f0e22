import FaceMetadata
import Frames

/// Decides whether a face still looks as it did when its landmarks were last computed, so that they can be used again.
///
/// It compares a grid of 48 × 48 brightness cells around the face. What a small shift, scaling, turn and change of light
/// would explain is fitted and removed; the rest must be within the noise of the face's flat parts in the eyes, the mouth
/// and the face as a whole, relative to the contrast there. For one frame the eyes alone decide.
///
/// One face's, used by one thread. It keeps its memory from frame to frame.
final class StillFace {
    /// Cells of the grid's width and height.
    static let side = 48
    static let count = side * side

    /// The grid's side as a multiple of the larger side of the landmarks' box.
    private static let margin: Float = 1.3
    /// How many frames in a row may go without computed landmarks.
    private static let mostSkips = 9
    /// How many seconds may pass without, at low frame rates.
    private static let longestPause = 0.5
    /// For how many seconds landmarks are used although the mouth or the face as a whole changed, if the eyes did not: one
    /// frame of 25 or 30 a second.
    static let longestLag = 0.045
    /// From this level of a smile on they are not: single frames of talking look like a smile, and only the speed of the lips
    /// separates the two, of which half of the frames show less. On the recorded landmarks of the labelled clips two smiles
    /// are false without this limit, and none with 0.2, 0.3 or 0.4.
    static let mostSmileInLag = 0.3
    /// How many cells a point of the face's outline may be moved before the landmarks are computed again.
    private static let mostMotion: Float = 0.7
    // By how many cells an edge may have moved in a part of the face: more than noise does and less than a blink or the
    // beginning of a smile. Chosen on labelled clips for the same events as with every frame computed.
    private static let eyeTolerance: Float = 0.28
    private static let mouthTolerance: Float = 0.20
    private static let faceTolerance: Float = 0.28
    /// The squared contrast, in grey levels per cell, that a part is taken to have at least.
    private static let leastContrast: Float = 4
    /// The share of the cells, those with the least contrast, that the noise is measured in.
    private static let flatShare = 0.4
    /// The median of the square of a standard normal variable.
    private static let medianOfSquare: Float = 0.455
    /// The noise's variance that is believed at most.
    private static let mostNoise: Float = 400

    /// What a face did since its landmarks were computed.
    struct Motion: Hashable, Sendable {
        // The motion of the ellipse's middle and edge, in pixels.
        fileprivate var shiftX: Float = 0
        fileprivate var shiftY: Float = 0
        fileprivate var scale: Float = 0
        fileprivate var turn: Float = 0
        /// The ellipse around the face, in pixels.
        fileprivate var centerX: Float = 0
        fileprivate var centerY: Float = 0
        fileprivate var radiusX: Float = 1
        fileprivate var radiusY: Float = 1

        /// Where a point of the face is now, in pixels with centres at integers.
        func callAsFunction(_ x: Float, _ y: Float) -> (x: Float, y: Float) {
            let (u, v) = ((x - centerX) / radiusX, (y - centerY) / radiusY)
            return (x + shiftX + scale * u - turn * v, y + shiftY + scale * v + turn * u)
        }
    }

    /// A part of the grid that must not have changed.
    private struct Zone {
        var columns: Range<Int>
        var rows: Range<Int>
        /// The squared difference beyond the noise from which on it has changed.
        var tolerance: Float
        /// Whether a change of it must be seen at once.
        var isEye = false
    }

    // The grid at the time when the landmarks were computed, and its change per cell to the right and down.
    private let reference = FloatCells(count: StillFace.count)
    private let slopeX = FloatCells(count: StillFace.count)
    private let slopeY = FloatCells(count: StillFace.count)
    /// 1 inside the face's ellipse, 0 outside.
    private let mask = FloatCells(count: StillFace.count)
    /// Columns as −1…1 of the ellipse.
    private let u = FloatCells(count: StillFace.side)
    /// Rows as −1…1 of the ellipse.
    private var rowOffset: Float = 0
    private var rowScale: Float = 1
    private var flat: [UInt16] = []
    private var zones: [Zone] = []
    private var fit = LeastSquares()
    private var rectangle = LuminanceGrid.Rectangle(left: 0, top: 0, right: 0, bottom: 0)
    private var size = FrameSize(width: 0, height: 0)
    private var motion = Motion()
    private var skips = StillFace.mostSkips
    private var computedAt = 0.0
    /// Whether the mouth is far from a smile.
    private var canLag = false

    /// Memory that all faces of an analyzer share.
    final class Workspace {
        fileprivate let grid = LuminanceGrid(columns: StillFace.side, rows: StillFace.side)
        fileprivate let cells = FloatCells(count: StillFace.count)
        fileprivate var quantile = QuantileMeter()
    }

    /// Notes that the landmarks were computed in a frame.
    func computed(_ landmarks: FaceLandmarks, in frame: Frame, _ workspace: Workspace) {
        let box = Box(landmarks)
        let half = Self.margin * max(box.right - box.left, box.bottom - box.top) / 2
        let (middleX, middleY) = ((box.left + box.right + 1) / 2, (box.top + box.bottom + 1) / 2)
        rectangle = .init(left: middleX - half, top: middleY - half, right: middleX + half, bottom: middleY + half)
        size = frame.size
        computedAt = frame.stamp.mediaTime
        let geometry = FaceGeometry(landmarks)
        canLag = geometry.mouthShape(unit: geometry.unit).smileLevel < Self.mostSmileInLag
        // Without a grid the next frame is computed.
        skips = half >= 4 && workspace.grid.sample(frame, rectangle, into: reference.base) ? 0 : Self.mostSkips
        guard skips == 0 else { return }
        prepare(box, landmarks, workspace)
    }

    /// How the face moved since its landmarks were computed; nil if they must be computed again in this frame.
    func motion(in frame: Frame, _ workspace: Workspace) -> Motion? {
        let pause = frame.stamp.mediaTime - computedAt
        guard skips < Self.mostSkips, frame.size == size, pause >= 0, pause < Self.longestPause,
            workspace.grid.sample(frame, rectangle, into: workspace.cells.base),
            isStill(workspace, eyesOnly: canLag && pause < Self.longestLag)
        else { return nil }
        skips += 1
        return motion
    }

    /// Makes the next frame be computed.
    func reset() { skips = Self.mostSkips }
}

// MARK: When the landmarks are computed

extension StillFace {
    /// The smallest rectangle around all landmarks, in pixels with centres at integers.
    private struct Box {
        var left = Float.infinity
        var top = Float.infinity
        var right = -Float.infinity
        var bottom = -Float.infinity

        init(_ landmarks: FaceLandmarks) {
            for index in 0..<FaceLandmarks.count {
                let (x, y) = (landmarks.numbers[3 * index], landmarks.numbers[3 * index + 1])
                (left, right) = (x < left ? x : left, x > right ? x : right)
                (top, bottom) = (y < top ? y : top, y > bottom ? y : bottom)
            }
        }
    }

    private func prepare(_ box: Box, _ landmarks: FaceLandmarks, _ workspace: Workspace) {
        let cellsPerPixel = Float(Self.side) / (rectangle.right - rectangle.left)
        func cell(_ x: Float, _ y: Float) -> (x: Float, y: Float) {
            ((x + 0.5 - rectangle.left) * cellsPerPixel, (y + 0.5 - rectangle.top) * cellsPerPixel)
        }
        func point(_ index: Int) -> (x: Float, y: Float) { cell(landmarks[index].x, landmarks[index].y) }

        let contrast = workspace.cells
        slopes(squared: contrast)
        flat.removeAll(keepingCapacity: true)
        let limit = workspace.quantile.value(at: Self.flatShare, of: contrast.base, count: Self.count)
        for index in 0..<Self.count where contrast.base[index] <= limit { flat.append(UInt16(index)) }

        zones.removeAll(keepingCapacity: true)
        for (outer, inner) in [(33, 133), (362, 263)] {
            let (one, other) = (point(outer), point(inner))
            let width = hypotenuse(one.x - other.x, one.y - other.y)
            let middle = ((one.x + other.x) / 2, (one.y + other.y) / 2)
            addZone(middle, max(2, 0.65 * width), max(1.5, 0.4 * width), Self.eyeTolerance, contrast)
            zones[zones.count - 1].isEye = true
        }
        let (left, right) = (point(FaceMeshIndices.leftMouthCorner), point(FaceMeshIndices.rightMouthCorner))
        let (upper, lower) = (point(FaceMeshIndices.upperLipInner), point(FaceMeshIndices.lowerLipInner))
        let width = max(4, hypotenuse(left.x - right.x, left.y - right.y))
        let mouth = ((upper.x + lower.x) / 2, (upper.y + lower.y) / 2)
        addZone(mouth, 0.65 * width, 0.5 * width, Self.mouthTolerance, contrast)
        let (low, high) = (cell(box.left, box.top), cell(box.right, box.bottom))
        let middle = ((low.x + high.x) / 2, (low.y + high.y) / 2)
        addZone(middle, (high.x - low.x) / 2, (high.y - low.y) / 2, Self.faceTolerance, contrast)
        prepareFit(zones[zones.count - 1], pixelsPerCell: 1 / cellsPerPixel)
    }

    private func hypotenuse(_ x: Float, _ y: Float) -> Float { (x * x + y * y).squareRoot() }

    private func addZone(
        _ middle: (x: Float, y: Float),
        _ halfWidth: Float,
        _ halfHeight: Float,
        _ tolerance: Float,
        _ contrast: FloatCells
    ) {
        func range(_ middle: Float, _ half: Float) -> Range<Int> {
            let low = min(max(Int((middle - half).rounded(.down)), 0), Self.side - 1)
            return low..<max(low + 1, min(Int((middle + half).rounded(.up)), Self.side))
        }
        let (columns, rows) = (range(middle.x, halfWidth), range(middle.y, halfHeight))
        let mean = contrast.mean(columns: columns, rows: rows, side: Self.side)
        zones.append(
            Zone(columns: columns, rows: rows, tolerance: tolerance * tolerance * max(mean, Self.leastContrast))
        )
    }

    /// Fills the slopes of the reference and their squared length.
    private func slopes(squared contrast: FloatCells) {
        let (side, cells) = (Self.side, reference.base)
        for row in 0..<side {
            let (here, above, below) = (row * side, max(row - 1, 0) * side, min(row + 1, side - 1) * side)
            let isInside: Float = row > 0 && row < side - 1 ? 0.5 : 0
            for column in 0..<side {
                slopeY.base[here + column] = (cells[below + column] - cells[above + column]) * isInside
            }
            for column in 1..<side - 1 {
                slopeX.base[here + column] = (cells[here + column + 1] - cells[here + column - 1]) * 0.5
            }
            for column in 0..<side {
                let (x, y) = (slopeX.base[here + column], slopeY.base[here + column])
                contrast.base[here + column] = x * x + y * y
            }
            contrast.base[here] = contrast.base[here + 1]
            contrast.base[here + side - 1] = contrast.base[here + side - 2]
        }
    }

    /// Prepares the least-squares fit inside the ellipse of a zone.
    private func prepareFit(_ face: Zone, pixelsPerCell: Float) {
        let side = Self.side
        let (centerX, centerY) = (
            Float(face.columns.lowerBound + face.columns.upperBound - 1) / 2,
            Float(face.rows.lowerBound + face.rows.upperBound - 1) / 2
        )
        let (radiusX, radiusY) = (max(3, Float(face.columns.count) / 2), max(3, Float(face.rows.count) / 2))
        for column in 0..<side { u.base[column] = (Float(column) - centerX) / radiusX }
        (rowOffset, rowScale) = (centerY, 1 / radiusY)
        var inside: Float = 0
        for row in 0..<side {
            let v = (Float(row) - rowOffset) * rowScale
            for column in 0..<side {
                let isInside: Float = u.base[column] * u.base[column] + v * v <= 1 ? 1 : 0
                mask.base[row * side + column] = isInside
                inside += isInside
            }
        }
        motion = Motion(
            centerX: rectangle.left + (centerX + 0.5) * pixelsPerCell - 0.5,
            centerY: rectangle.top + (centerY + 0.5) * pixelsPerCell - 0.5,
            radiusX: radiusX * pixelsPerCell,
            radiusY: radiusY * pixelsPerCell
        )
        fit = LeastSquares()
        for row in 0..<side {
            let effects = Effects(self, row: row)
            for block in 0..<side / 8 { fit.add(effects[block], weights: effects.mask(block)) }
        }
        // Motions are taken to be small unless the picture says otherwise: a face without contrast says nothing.
        let penalty = 0.4 * inside
        fit.factorize(penalties: [penalty, penalty, penalty, penalty, 1])
    }
}

// MARK: In each frame

extension StillFace {
    /// What a unit of shift right, shift down, scaling, turning and brightening does to the cells of a row.
    private struct Effects {
        private let face: StillFace
        private let start: Int
        private let v: Float

        @inline(__always)
        init(_ face: StillFace, row: Int) {
            self.face = face
            start = row * StillFace.side
            v = (Float(row) - face.rowOffset) * face.rowScale
        }

        /// Of eight cells.
        @inline(__always)
        subscript(block: Int) -> LeastSquares.Effects {
            let (x, y, u) = (face.slopeX[start, block], face.slopeY[start, block], face.u[0, block])
            return [-x, -y, -(u * x + v * y), v * x - u * y, face.reference[start, block] + 4]
        }

        @inline(__always)
        func mask(_ block: Int) -> SIMD8<Float> { face.mask[start, block] }
    }

    /// Fits the motion to the cells in the workspace, and compares what it does not explain with the noise.
    private func isStill(_ workspace: Workspace, eyesOnly: Bool) -> Bool {
        let (side, cells) = (Self.side, workspace.cells)
        cells.subtract(reference)
        var sums = LeastSquares.Effects(repeating: .zero)
        for row in 0..<side {
            let effects = Effects(self, row: row)
            for block in 0..<side / 8 {
                let effect = effects[block]
                let difference = cells[row * side, block] * effects.mask(block)
                for index in 0..<5 { sums[index] += effect[index] * difference }
            }
        }
        let fitted = fit.solve([sums[0].sum(), sums[1].sum(), sums[2].sum(), sums[3].sum(), sums[4].sum()])
        // Also false for what is not a number.
        for index in 0..<4 {
            guard fitted[index].magnitude <= Self.mostMotion else { return false }
        }
        for row in 0..<side {
            let effects = Effects(self, row: row)
            for block in 0..<side / 8 {
                let effect = effects[block]
                var rest = cells[row * side, block]
                for index in 0..<5 { rest -= fitted[index] * effect[index] }
                cells[row * side, block] = rest * rest
            }
        }
        let median = workspace.quantile.value(at: 0.5, of: cells.base, indices: flat)
        let noise = min(median / Self.medianOfSquare, Self.mostNoise)
        let pixelsPerCell = motion.radiusX * (u.base[1] - u.base[0])
        (motion.shiftX, motion.shiftY) = (fitted[0] * pixelsPerCell, fitted[1] * pixelsPerCell)
        (motion.scale, motion.turn) = (fitted[2] * pixelsPerCell, fitted[3] * pixelsPerCell)
        return zones.allSatisfy { zone in
            (eyesOnly && !zone.isEye)
                || cells.mean(columns: zone.columns, rows: zone.rows, side: side) <= noise + zone.tolerance
        }
    }
}
