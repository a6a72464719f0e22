import FaceMetadata
import Frames

/// Looks at frames for changes, without a model: what the scene gate decides on, taken from a frame's own pixels.
final class SceneWatch {
    private let grid = LuminanceGrid(columns: SceneGate.columns, rows: SceneGate.rows)
    private var cells = [Float](repeating: 0, count: SceneGate.count)
    private var gate = SceneGate()
    /// Where to look, in the upright picture.
    private let region: NormalizedRect
    /// What was decided for the frame with that stamp, which may be asked for again.
    private var decision: (stamp: FrameStamp, mustLook: Bool)?
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

    /// Forgets the scene: the next frame is looked at.
    func reset() {
        gate.reset()
        decision = nil
    }

    /// By how much a frame can be scaled down for `mustLook`: so far that a cell keeps a pixel.
    static func sufficientScale(for size: FrameSize) -> Int {
        [8, 4, 2].first { size.width / $0 >= SceneGate.columns && size.height / $0 >= SceneGate.rows } ?? 1
    }

    private func sample(_ frame: Frame) -> Bool {
        let size = frame.uprightSize
        let map = frame.orientation.storedFromUpright(stored: frame.size)
        let (width, height) = (Float(size.width), Float(size.height))
        let first = map(Float(region.x) * width - 0.5, Float(region.y) * height - 0.5)
        let last = map(
            Float(region.x + region.width) * width - 0.5,
            Float(region.y + region.height) * height - 0.5
        )
        let rectangle = LuminanceGrid.Rectangle(
            left: min(first.x, last.x) + 0.5,
            top: min(first.y, last.y) + 0.5,
            right: max(first.x, last.x) + 0.5,
            bottom: max(first.y, last.y) + 0.5
        )
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
