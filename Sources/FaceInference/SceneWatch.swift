import FaceMetadata
import Frames

/// Looks at frames for changes, without a model: what the scene gate decides on, taken from a frame's own pixels.
final class SceneWatch {
    // Half as many rows leave a little more noise, which the gate measures; reading pixels is most of its time.
    private let grid = LuminanceGrid(columns: SceneGate.columns, rows: SceneGate.rows, maximumRows: 4)
    private var cells = [Float](repeating: 0, count: SceneGate.count)
    /// Cells in which changes do not count, beside followed faces.
    private var ignored = [Bool](repeating: false, count: SceneGate.count)
    private var gate = SceneGate()
    /// Where to look, in the upright picture.
    private let region: NormalizedRect
    /// What was decided for the frame with that stamp, which may be asked for again.
    private var decision: (stamp: FrameStamp, mustLook: Bool)?
    /// Whether the scene beside followed faces was another one at once, as after a hard cut, when it was last compared.
    private(set) var wasCut = false
    /// The share of it that differs as a rule.
    private var usualShare: Float = 0
    /// The mean brightness of the frame that was looked at last, 0…1; nil before the first.
    private(set) var luminance: Double?

    init(region: NormalizedRect) {
        self.region = region
    }

    /// Whether the scene is changing, or was a moment ago.
    var isChanging: Bool { gate.isChanging }

    /// Whether the detector has to look at a frame. Asking twice about a frame gives the same answer, whatever size it has
    /// the second time.
    func mustLook(at frame: Frame) -> Bool {
        if let decision, decision.stamp == frame.stamp { return decision.mustLook }
        let mustLook = sample(frame) ? gate.mustLook(at: cells, time: frame.stamp.mediaTime) : true
        decision = (frame.stamp, mustLook)
        return mustLook
    }

    /// How a frame of a clip differs from the one before it.
    func step(to frame: Frame) -> SceneGate.Step { sample(frame) ? gate.step(to: cells) : .small }

    /// Whether most of a frame differs from that of `noteSearch`, as after a cut.
    func isOtherPicture(_ frame: Frame) -> Bool { canCompare && sample(frame) && gate.isOtherPicture(cells) }

    /// Whether anything changed since `noteSearch` beside faces that are followed, and beside what moves with them.
    ///
    /// - Parameters:
    ///   - frame: The frame to look at.
    ///   - faces: Where those faces are, in pixels of the upright picture.
    /// - Returns: Also true for a frame that cannot be read, and while there is none to compare with.
    func hasChanged(in frame: Frame, beside faces: [CropRegion]) -> Bool {
        decision = nil
        guard sample(frame) else { return true }
        let bottom = Float(frame.uprightSize.height)
        let covered = storedRectangle(region, in: frame)
        for index in ignored.indices { ignored[index] = false }
        for face in faces {
            // The head with its hair, which moves more than the landmarks' box, and the body below.
            let top = face.centerY - 0.9 * face.side
            let upright = NormalizedRect(
                x: Double((face.centerX - face.side) / Float(frame.uprightSize.width)),
                y: Double(top / bottom),
                width: Double(2 * face.side / Float(frame.uprightSize.width)),
                height: Double(max(0, bottom - top) / bottom)
            )
            ignore(storedRectangle(upright, in: frame), of: covered)
        }
        defer { usualShare += 0.2 * (gate.changedShare - usualShare) }
        let hasChanged = gate.hasChanged(cells, ignoring: ignored)
        wasCut = gate.isBesideFaces && gate.changedShare > 0.2 + 2 * usualShare
        return hasChanged
    }

    /// Whether there is a frame that `hasChanged` compares with.
    var canCompare: Bool { gate.isBesideFaces }

    /// Makes the frame that was looked at last the one that `hasChanged` compares with.
    func noteSearch() { gate.noteSearch(of: cells) }

    /// Forgets the scene: the next frame is looked at.
    func reset() {
        gate.reset()
        decision = nil
    }

    /// By how much a frame can be scaled down for `mustLook`: so far that a cell keeps a pixel.
    static func sufficientScale(for size: FrameSize) -> Int {
        [8, 4, 2].first { size.width / $0 >= SceneGate.columns && size.height / $0 >= SceneGate.rows } ?? 1
    }

    /// Ignores the cells that a rectangle of the stored picture covers or cuts.
    private func ignore(_ rectangle: LuminanceGrid.Rectangle, of covered: LuminanceGrid.Rectangle) {
        func cells(_ low: Float, _ high: Float, _ start: Float, _ end: Float, _ count: Int) -> Range<Int> {
            let scale = Float(count) / max(end - start, 1)
            let first = min(max(((low - start) * scale).rounded(.down), 0), Float(count))
            let last = min(max(((high - start) * scale).rounded(.up), 0), Float(count))
            return Int(first)..<max(Int(first), Int(last))
        }
        let rows = cells(rectangle.top, rectangle.bottom, covered.top, covered.bottom, SceneGate.rows)
        for column in cells(rectangle.left, rectangle.right, covered.left, covered.right, SceneGate.columns) {
            for row in rows { ignored[column * SceneGate.rows + row] = true }
        }
    }

    /// A part of the upright picture in pixels of the stored one.
    private func storedRectangle(_ part: NormalizedRect, in frame: Frame) -> LuminanceGrid.Rectangle {
        let size = frame.uprightSize
        let map = frame.orientation.storedFromUpright(stored: frame.size)
        let (width, height) = (Float(size.width), Float(size.height))
        // The map is for positions of pixel centres, half a pixel right of and below the edges.
        let first = map(Float(part.x) * width - 0.5, Float(part.y) * height - 0.5)
        let last = map(Float(part.x + part.width) * width - 0.5, Float(part.y + part.height) * height - 0.5)
        return LuminanceGrid.Rectangle(
            left: min(first.x, last.x) + 0.5,
            top: min(first.y, last.y) + 0.5,
            right: max(first.x, last.x) + 0.5,
            bottom: max(first.y, last.y) + 0.5
        )
    }

    private func sample(_ frame: Frame) -> Bool {
        let rectangle = storedRectangle(region, in: frame)
        let isRead = cells.withUnsafeMutableBufferPointer { cells in
            guard let base = cells.baseAddress else { return false }
            return grid.sampleSensor(frame, rectangle, into: base)
        }
        guard isRead else { return false }
        let mean = Double(cells.reduce(0, +)) / Double(cells.count)
        let isVideoRange = frame.format.hasLuma && !frame.encoding.isFullRange
        luminance = min(max(isVideoRange ? (mean - 16) / 219 : mean / 255, 0), 1)
        return true
    }
}

extension PixelFormat {
    /// Whether the encoding of YUV applies to it.
    fileprivate var hasLuma: Bool {
        switch self {
        case .gray, .planarYUV, .nv12, .yuyv: true
        case .packedRGB, .jpeg: false
        }
    }
}
