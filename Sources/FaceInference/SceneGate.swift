import FaceMetadata
import Frames

/// Decides in which frames the detector has to look for faces: those in which something changed.
///
/// It compares each frame's change map with that at the last look, relative to each cell's own noise and after removing changes of
/// the light, so that sensor noise, mains flicker, auto exposure and daylight do not count. Something that goes on moving is learnt
/// as noise within seconds. Once a second the detector looks in any case. The same frames at the same times give the same
/// decisions.
final class SceneGate {
    // Tuned on empty rooms and sliding faces made of photographs with noise, flicker, ramps and video coding.

    /// Seconds between looks when nothing changes.
    private static let longestPause = 1.0
    /// Seconds in which every frame is looked at after a new change, and for which looks go on after its end.
    private static let hold = 0.3
    /// Seconds between looks while a change goes on, and after it.
    private static let pause = 0.1
    /// Seconds without a change after which the next one is new.
    private static let calm = 0.5
    /// Slack for times that are rounded, in seconds.
    private static let slack = 0.004
    /// How much of a new difference is learnt as noise in each frame.
    private static let learning: Float = 1.0 / 32
    /// What is added to the noise's variance, in grey levels squared: what video coding leaves.
    private static let noiseFloor: Float = 1
    /// Of the smoothed picture: as `learning` and `noiseFloor`.
    private static let smoothing: Float = 0.2
    private static let smoothFloor: Float = 0.16
    /// Frames that the smoothed picture takes to settle after a look.
    private static let settling = 4
    /// A square of 2 × 2 cells has changed from this sum of their deviations on, each counted up to `cellLimit`.
    private static let blockThreshold: Float = 14
    private static let cellLimit: Float = 8
    /// A cell has changed from this deviation on, the picture if that share of its cells has.
    private static let cellThreshold: Float = 4
    private static let cellShare: Float = 0.02

    /// The cells of the frame that is asked about.
    let map: ChangeMap
    /// The picture that changes are measured against: the one at the last look, averaged with those after it.
    private let reference = Cells(count: ChangeMap.count)
    private let previous = Cells(count: ChangeMap.count)
    /// Variance of each cell's noise.
    private let noise = Cells(count: ChangeMap.count, repeating: 1)
    private let smooth = Cells(count: ChangeMap.count)
    private let smoothReference = Cells(count: ChangeMap.count)
    private let deviations = Cells(count: ChangeMap.count)
    /// What the kept picture shows, with which the next one is compared: a scene without faces, or what is beside followed ones.
    private enum Kept { case none, withoutFaces, besideFaces }
    private var kept = Kept.none
    private var averaged = 0
    private var smoothed = 0
    private var lastLook = 0.0
    private var lastChange = -Double.infinity
    private var changeBegan = -Double.infinity
    /// What was decided for the frame with that stamp, which may be asked for again.
    private var decision: (stamp: FrameStamp, mustLook: Bool)?
    /// The share of the cells compared last that differ, and of those beside followed faces that do as a rule.
    private var changedShare: Float = 0
    private var usualShare: Float = 0
    /// Whether the scene is changing, or was a moment ago.
    private(set) var isChanging = false
    /// Whether there is a search beside followed faces that `hasChanged` compares with.
    var canCompare: Bool { kept == .besideFaces }
    /// Whether the scene beside followed faces was another one at once, as after a hard cut, when it was last compared.
    private(set) var wasCut = false

    init(region: NormalizedRect) { map = ChangeMap(region: region) }

    /// Forgets the picture, but not the noise of its cells: the next frame is looked at.
    func reset() {
        kept = .none
        decision = nil
    }

    // MARK: Beside followed faces

    /// Whether anything changed since `noteSearch` beside followed faces, whose regions are pixels of the upright picture, and what moves
    /// with them; true for a frame that cannot be read, and while there is none to compare with.
    func hasChanged(in frame: Frame, beside faces: [CropRegion]) -> Bool {
        guard map.read(frame) else { return true }
        let bottom = Float(frame.uprightSize.height)
        let parts = faces.map { face in
            // The head with its hair, which moves more than the landmarks' box, and the body below.
            let low = face.center - SIMD2(1, 0.9) * face.side
            return LuminanceGrid.Rectangle(low, SIMD2(face.center.x + face.side, max(low.y, bottom)))
        }
        map.cover(parts, in: frame)
        let hasChanged = hasChangedBesideCovered()
        wasCut = canCompare && changedShare > 0.2 + 2 * usualShare
        usualShare += 0.2 * (changedShare - usualShare)
        return hasChanged
    }

    /// Whether cells of the map that are not covered differ from those at `noteSearch` by more than noise and light.
    func hasChangedBesideCovered() -> Bool {
        !canCompare || hasChanged(map.cells, since: reference, noiseFactor: 1, floor: Self.noiseFloor)
    }

    /// Makes the frame that was looked at last the one that `hasChanged` compares with.
    func noteSearch() {
        reference.copy(map.cells)
        kept = .besideFaces
    }

    // MARK: Without a face

    /// Whether the detector has to look at a frame. Asking twice about a frame gives the same answer, whatever size it has
    /// the second time.
    func mustLook(at frame: Frame) -> Bool {
        if let decision, decision.stamp == frame.stamp { return decision.mustLook }
        let mustLook = map.read(frame) ? mustLook(at: frame.stamp.mediaTime) : true
        decision = (frame.stamp, mustLook)
        return mustLook
    }

    /// Whether the detector has to look at the frame in the map, which has that media time in seconds.
    func mustLook(at time: Double) -> Bool {
        // A time before the last look is a source that began anew.
        guard kept == .withoutFaces, time >= lastLook else {
            begin(at: time)
            return true
        }
        map.uncover()
        learnNoise()
        let isFastChange = hasChanged(map.cells, since: reference, noiseFactor: 1, floor: Self.noiseFloor)
        let isSlowChange = followSmoothly()
        let hasMoved = isFastChange || isSlowChange
        if hasMoved {
            if time - lastChange > Self.calm { changeBegan = time }
            lastChange = time
        }
        isChanging = time - lastChange < Self.hold
        let isLook = isDue(at: time, hasMoved)
        if isLook {
            reference.copy(map.cells)
            smoothReference.copy(smooth)
            lastLook = time
            averaged = 1
        } else if averaged < 4, !hasMoved {
            averaged += 1
            reference.approach(map.cells, share: 1 / Float(averaged))
        }
        return isLook
    }

    private func isDue(at time: Double, _ hasMoved: Bool) -> Bool {
        let age = time - lastLook + Self.slack
        if hasMoved { return time - changeBegan < Self.hold || age >= Self.pause }
        return age >= (isChanging ? Self.pause : Self.longestPause)
    }

    private func begin(at time: Double) {
        for cells in [reference, previous, smooth, smoothReference] { cells.copy(map.cells) }
        kept = .withoutFaces
        isChanging = false
        averaged = 1
        smoothed = 0
        lastLook = time
        lastChange = -.infinity
        changeBegan = -.infinity
    }

    /// Learns each cell's noise from the difference of successive pictures; large ones slowly, so that a face is no noise.
    private func learnNoise() {
        let lit = map.adapt(previous, to: map.cells)
        for index in lit.indices {
            let difference = map.cells[index] - lit[index]
            let (square, limit) = (difference * difference / 2, 9 * noise[index] + 0.05)
            noise[index] += (square.replacing(with: limit, where: square .> limit) - noise[index]) * Self.learning
        }
        previous.copy(map.cells)
    }

    /// Follows the picture slowly, which shows weak changes under the noise, and says whether there is one.
    private func followSmoothly() -> Bool {
        smooth.approach(map.cells, share: Self.smoothing)
        smoothed += 1
        guard smoothed > Self.settling else {
            smoothReference.copy(smooth)
            return false
        }
        // The variance that noise has left after the smoothing.
        let factor = 2 * Self.smoothing / (2 - Self.smoothing)
        return hasChanged(smooth, since: smoothReference, noiseFactor: factor, floor: Self.smoothFloor)
    }

    // MARK: Comparing

    /// Whether cells differ from earlier ones by more than the light and the noise, whose variance is multiplied by a factor
    /// and increased by `floor`.
    private func hasChanged(_ cells: Cells, since earlier: Cells, noiseFactor: Float, floor: Float) -> Bool {
        let lit = map.adapt(earlier, to: cells)
        let limit = Cells.Vector(repeating: Self.cellLimit)
        var (found, counted) = (SIMD4<Int32>.zero, Cells.Vector.zero)
        for index in lit.indices {
            let spread = (noiseFactor * noise[index] + floor).squareRoot()
            let deviation = (cells[index] - lit[index]).magnitude / spread * map.weights[index]
            found.replace(with: found &+ 1, where: deviation .> Self.cellThreshold)
            counted += map.weights[index]
            deviations[index] = deviation.replacing(with: limit, where: deviation .> limit)
        }
        let changed = Float(found.wrappedSum())
        changedShare = changed / max(1, counted.sum())
        return changed > Self.cellShare * Float(ChangeMap.count) || largestBlock() > Self.blockThreshold
    }

    /// The largest sum of the deviations of 2 × 2 cells.
    private func largestBlock() -> Float {
        let (rows, numbers) = (ChangeMap.rows, deviations.numbers)
        var largest: Float = 0
        for first in stride(from: 0, to: ChangeMap.count - rows, by: rows) {
            for cell in first..<first + rows - 1 {
                let upper = numbers[cell] + numbers[cell + rows]
                largest = max(largest, upper + (numbers[cell + 1] + numbers[cell + 1 + rows]))
            }
        }
        return largest
    }
}
