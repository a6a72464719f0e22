/// Decides in which frames the detector must search for faces: those in which the picture has changed.
///
/// It compares each frame's change map with that of the last search, relative to each cell's noise and without changes
/// of the light, so that sensor noise, mains flicker, auto exposure and daylight do not count. Continuous motion is
/// learnt as noise within seconds. An unchanged room is searched in any case, at intervals. The same frames at the same
/// times give the same decisions.
final class SceneGate {
    // Tuned on empty rooms and sliding faces made of photographs with noise, flicker, ramps and video coding.

    /// The interval between searches when nothing changes, in seconds, and once nothing has changed for `rest` seconds:
    /// by then ten searches have looked for a person who sits still.
    private static let calmPause = 1.0
    private static let restingPause = 1.5
    private static let rest = 10.0
    /// How long, in seconds, every frame is searched after a change begins. Searches go on for as long after it ends.
    private static let hold = 0.3
    /// The interval between searches while a change continues and shortly after it, in seconds.
    private static let pause = 0.1
    /// The time without a change, in seconds, after which the next change counts as new.
    private static let calm = 0.5
    /// The tolerance for rounded timestamps, in seconds.
    private static let slack = 0.004
    /// The fraction by which each cell's noise approaches the newest squared difference in each frame.
    private static let learning: Float = 1.0 / 32
    /// The variance that is added to the noise to allow for video coding, in squared grey levels.
    private static let noiseFloor: Float = 1
    /// The fraction by which the smoothed picture approaches each frame. `smoothFloor` is that picture's `noiseFloor`.
    private static let smoothing: Float = 0.2
    private static let smoothFloor: Float = 0.16
    /// The number of frames that the smoothed picture takes to settle after the start.
    private static let settling = 4
    /// The sum of deviations, in standard deviations of the noise, above which a block of 2 × 2 cells has changed. Each
    /// cell's deviation is limited to `cellLimit`.
    private static let blockThreshold: Float = 14
    private static let cellLimit: Float = 8
    /// The deviation above which a cell has changed. The picture has, too, if more than `cellShare` of its cells have.
    private static let cellThreshold: Float = 4
    private static let cellShare: Float = 0.02

    let map: ChangeMap
    /// The picture against which changes are measured: the last searched frame, averaged with up to three later ones.
    private let reference = Cells(count: ChangeMap.count)
    private let previous = Cells(count: ChangeMap.count)
    /// The variance of each cell's noise, in squared grey levels.
    private let noise = Cells(count: ChangeMap.count, repeating: 1)
    private let smooth = Cells(count: ChangeMap.count)
    private let smoothReference = Cells(count: ChangeMap.count)
    private let deviations = Cells(count: ChangeMap.count)
    /// What `reference` shows: nothing yet, a scene without faces, or the scene around followed faces.
    private enum Kept { case none, withoutFaces, besideFaces }
    private var kept = Kept.none
    private var averaged = 0
    private var smoothed = 0
    private var lastSearch = 0.0
    private var lastChange = -Double.infinity
    private var changeBegan = -Double.infinity
    /// The time of the first search.
    private var began = 0.0
    /// The last decision, kept with its frame's stamp because it may be asked for again.
    private var decision: (stamp: FrameStamp, mustSearch: Bool)?
    /// The fraction of cells that differed in the last comparison. `usualShare`: its average while faces are followed.
    private var changedShare: Float = 0
    private var usualShare: Float = 0
    /// Whether there is a frame to compare with, from a search that was made while faces were followed.
    var canCompare: Bool { kept == .besideFaces }
    /// Whether the scene outside the followed faces changed abruptly in the last comparison, as by a hard cut.
    private(set) var wasCut = false

    init(region: NormalizedRect) { map = ChangeMap(region: region) }

    /// Forgets the frame to compare with, but not the noise of its cells. The next frame is searched.
    func reset() {
        kept = .none
        decision = nil
    }

    // MARK: Beside followed faces

    /// Whether anything but the followed faces, and their bodies unless `seesBodies`, has changed since `noteSearch`.
    /// The regions of the faces are in pixels of the upright picture. True if the frame cannot be read or compared.
    func hasChanged(in frame: Frame, beside faces: [CropRegion], seesBodies: Bool = false) -> Bool {
        guard map.read(frame) else { return true }
        let bottom = Float(frame.uprightSize.height)
        let parts = faces.map { face in
            if seesBodies { return LuminanceGrid.Rectangle(around: face.center, .init(repeating: face.side / 2)) }
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

    /// Whether the map's uncovered cells have changed since `noteSearch` by more than noise and light.
    func hasChangedBesideCovered() -> Bool {
        !canCompare || hasChanged(map.cells, since: reference, noiseFactor: 1, floor: Self.noiseFloor)
    }

    /// Makes the last frame that was read the one with which `hasChanged` compares later frames.
    func noteSearch() {
        reference.copy(map.cells)
        kept = .besideFaces
    }

    // MARK: Without a face

    /// Whether the detector must search a frame. Asking again about a frame, even scaled, gives the same answer.
    func mustSearch(at frame: Frame) -> Bool {
        if let decision, decision.stamp == frame.stamp { return decision.mustSearch }
        let mustSearch = map.read(frame) ? mustSearch(at: frame.stamp.mediaTime) : true
        decision = (frame.stamp, mustSearch)
        return mustSearch
    }

    /// Whether the detector must search the frame that the map has read, which has this media time in seconds.
    func mustSearch(at time: Double) -> Bool {
        // A time before the last search means that the source has begun anew.
        guard kept == .withoutFaces, time >= lastSearch else {
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
        let isSearch = isDue(at: time, hasMoved)
        if isSearch {
            reference.copy(map.cells)
            smoothReference.copy(smooth)
            lastSearch = time
            averaged = 1
        } else if averaged < 4, !hasMoved {
            averaged += 1
            reference.approach(map.cells, share: 1 / Float(averaged))
        }
        return isSearch
    }

    private func isDue(at time: Double, _ hasMoved: Bool) -> Bool {
        let age = time - lastSearch + Self.slack
        if hasMoved { return time - changeBegan < Self.hold || age >= Self.pause }
        if isChanging(at: time) { return age >= Self.pause }
        return age >= (time - max(began, lastChange) < Self.rest ? Self.calmPause : Self.restingPause)
    }

    /// Whether the scene is changing, or was until a moment ago, at this media time in seconds.
    func isChanging(at time: Double) -> Bool { time - lastChange < Self.hold }

    private func begin(at time: Double) {
        for cells in [reference, previous, smooth, smoothReference] { cells.copy(map.cells) }
        kept = .withoutFaces
        averaged = 1
        smoothed = 0
        lastSearch = time
        began = time
        lastChange = -.infinity
        changeBegan = -.infinity
    }

    /// Learns each cell's noise from the difference of successive frames, limited so that moving faces are not learnt.
    private func learnNoise() {
        let lit = map.adapt(previous, to: map.cells)
        for index in lit.indices {
            let difference = map.cells[index] - lit[index]
            let square = difference * difference / 2
            let limit = 9 * noise[index] + 0.05
            noise[index] += (square.replacing(with: limit, where: square .> limit) - noise[index]) * Self.learning
        }
        previous.copy(map.cells)
    }

    /// Updates the smoothed picture, and returns whether it shows a change, which may be weaker than the noise.
    private func followSmoothly() -> Bool {
        smooth.approach(map.cells, share: Self.smoothing)
        smoothed += 1
        guard smoothed > Self.settling else {
            smoothReference.copy(smooth)
            return false
        }
        // The fraction of the noise's variance that is left after the smoothing.
        let factor = 2 * Self.smoothing / (2 - Self.smoothing)
        return hasChanged(smooth, since: smoothReference, noiseFactor: factor, floor: Self.smoothFloor)
    }

    // MARK: Comparing

    /// Whether cells differ from earlier ones by more than a change of light and the noise, whose variance is taken as
    /// `noiseFactor` × `noise` + `floor`.
    private func hasChanged(_ cells: Cells, since earlier: Cells, noiseFactor: Float, floor: Float) -> Bool {
        let lit = map.adapt(earlier, to: cells)
        let limit = Cells.Vector(repeating: Self.cellLimit)
        var found = SIMD4<Int32>.zero
        var counted = Cells.Vector.zero
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

    /// Returns the largest sum of the deviations in a block of 2 × 2 adjacent cells.
    private func largestBlock() -> Float {
        let rows = ChangeMap.rows
        let numbers = deviations.numbers
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
