/// Decides in which frames the detector has to look for faces: those in which something changed.
///
/// It compares the means of 48 × 36 cells of the picture with those at the last look, relative to each cell's own noise
/// and after removing changes of the light, so that sensor noise, mains flicker, auto exposure and daylight do not count
/// as change, and a face that comes in at an edge does. Something that goes on moving is learnt as noise within seconds.
/// Whatever it sees, it lets the detector look once a second.
///
/// Pure: the same cells at the same times give the same decisions.
struct SceneGate {
    /// Cells across the stored picture.
    static let columns = 48
    /// Cells down the stored picture; they share one gain, because a camera exposes rows one after the other.
    static let rows = 36
    static let count = columns * rows

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
    /// A cut changes that share of the cells by more than so many grey levels.
    private static let cutShare: Float = 0.5
    private static let cutDifference: Float = 12

    /// The picture that changes are measured against: the one at the last look, averaged with those after it.
    private var reference = [Float](repeating: 0, count: count)
    private var previous = [Float](repeating: 0, count: count)
    /// Variance of each cell's noise.
    private var noise = [Float](repeating: 1, count: count)
    private var smooth = [Float](repeating: 0, count: count)
    private var smoothReference = [Float](repeating: 0, count: count)
    private var deviations = [Float](repeating: 0, count: count)
    private var light = LightLevel()

    private var isEmpty = true
    /// The share of the cells compared last that differ.
    private(set) var changedShare: Float = 0
    /// Whether the reference is the picture at the latest search beside followed faces.
    private(set) var isBesideFaces = false
    private var averaged = 0
    private var smoothed = 0
    private var lastLook = 0.0
    private var lastChange = -Double.infinity
    private var changeBegan = -Double.infinity
    private var lastTime = 0.0

    /// Whether the scene is changing, or was a moment ago.
    private(set) var isChanging = false

    /// Forgets the picture, but not the noise of its cells: the next frame is looked at.
    mutating func reset() { (isEmpty, isBesideFaces) = (true, false) }

    // MARK: Cuts

    /// How a picture differs from the one before it.
    enum Step {
        /// As pictures of one scene do.
        case small
        /// Most of it, as by another light, or another scene in front of a ground that is as plain.
        case light
        /// Most of it, and by more than the light.
        case cut
    }

    /// Compares a picture with the one before it; the first one is a cut.
    ///
    /// For clips, in which every frame is given to it; the other questions must not be asked of the same gate.
    mutating func step(to cells: [Float]) -> Step {
        defer {
            CellKernels.copy(cells, to: &previous)
            isEmpty = false
        }
        guard !isEmpty else { return .cut }
        guard Self.differ(cells, previous) else { return .small }
        light.adapt(previous, to: cells)
        return Self.differ(cells, light.adapted) ? .cut : .light
    }

    /// Whether most of a picture differs from that at `noteSearch`, as after a cut; false if there is nothing to compare with.
    func isOtherPicture(_ cells: [Float]) -> Bool { isBesideFaces && Self.differ(cells, reference) }

    private static func differ(_ cells: [Float], _ others: [Float]) -> Bool {
        CellKernels.countDifferences(cells, others, above: cutDifference) > cutShare * Float(count)
    }

    // MARK: Beside followed faces

    /// Compares cells with those at `noteSearch`.
    ///
    /// - Parameters:
    ///   - cells: As in `mustLook`.
    ///   - ignored: The cells whose changes do not count, because followed faces are there.
    /// - Returns: Whether they differ by more than noise and a change of the light; true if there is nothing to compare with.
    mutating func hasChanged(_ cells: [Float], ignoring ignored: [Bool]) -> Bool {
        guard isBesideFaces else { return true }
        return hasChanged(cells, since: reference, noiseFactor: 1, floor: Self.noiseFloor, ignoring: ignored)
    }

    /// Keeps the cells of a frame that is searched beside followed faces.
    mutating func noteSearch(of cells: [Float]) {
        CellKernels.copy(cells, to: &reference)
        // What was seen without a face is of no use any more.
        (isEmpty, isBesideFaces) = (true, true)
    }

    // MARK: Without a face

    /// Decides about the next frame.
    ///
    /// - Parameters:
    ///   - cells: The means of `count` cells, 0…255: columns from the left, in them cells from the top.
    ///   - time: Seconds of media time.
    /// - Returns: Whether the detector has to look at it.
    mutating func mustLook(at cells: [Float], time: Double) -> Bool {
        // A time before the last one is a source that began anew.
        guard !isEmpty, time >= lastTime else {
            begin(with: cells, at: time)
            return true
        }
        lastTime = time
        learnNoise(cells)
        let isFastChange = hasChanged(cells, since: reference, noiseFactor: 1, floor: Self.noiseFloor)
        let isSlowChange = followSmoothly(cells)
        let hasMoved = isFastChange || isSlowChange
        if hasMoved {
            if time - lastChange > Self.calm { changeBegan = time }
            lastChange = time
        }
        isChanging = time - lastChange < Self.hold
        let isLook = isDue(at: time, hasMoved)
        if isLook {
            CellKernels.copy(cells, to: &reference)
            CellKernels.copy(smooth, to: &smoothReference)
            lastLook = time
            averaged = 1
        } else if averaged < 4, !hasMoved {
            averaged += 1
            CellKernels.approach(cells, share: 1 / Float(averaged), &reference)
        }
        return isLook
    }

    private func isDue(at time: Double, _ hasMoved: Bool) -> Bool {
        let age = time - lastLook + Self.slack
        if hasMoved { return time - changeBegan < Self.hold || age >= Self.pause }
        return age >= (isChanging ? Self.pause : Self.longestPause)
    }

    private mutating func begin(with cells: [Float], at time: Double) {
        CellKernels.copy(cells, to: &reference)
        CellKernels.copy(cells, to: &previous)
        CellKernels.copy(cells, to: &smooth)
        CellKernels.copy(cells, to: &smoothReference)
        (isEmpty, isChanging, isBesideFaces) = (false, false, false)
        (averaged, smoothed) = (1, 0)
        (lastLook, lastTime, lastChange, changeBegan) = (time, time, -.infinity, -.infinity)
    }

    /// Learns each cell's noise from the difference of successive pictures; large ones slowly, so that a face is no noise.
    private mutating func learnNoise(_ cells: [Float]) {
        light.adapt(previous, to: cells)
        CellKernels.learn(cells, light.adapted, rate: Self.learning, &noise)
        CellKernels.copy(cells, to: &previous)
    }

    /// Follows the picture slowly, which shows weak changes under the noise, and says whether there is one.
    private mutating func followSmoothly(_ cells: [Float]) -> Bool {
        CellKernels.approach(cells, share: Self.smoothing, &smooth)
        smoothed += 1
        guard smoothed > Self.settling else {
            CellKernels.copy(smooth, to: &smoothReference)
            return false
        }
        // The variance that noise has left after the smoothing.
        let factor = 2 * Self.smoothing / (2 - Self.smoothing)
        return hasChanged(smooth, since: smoothReference, noiseFactor: factor, floor: Self.smoothFloor)
    }

    private mutating func hasChanged(
        _ cells: [Float],
        since reference: [Float],
        noiseFactor: Float,
        floor: Float,
        ignoring ignored: [Bool] = []
    ) -> Bool {
        light.adapt(reference, to: cells, ignoring: ignored)
        CellKernels.deviations(cells, light.adapted, noise, noiseFactor, floor, &deviations)
        for index in ignored.indices where ignored[index] { deviations[index] = 0 }
        let changed = CellKernels.count(deviations, above: Self.cellThreshold)
        changedShare = changed / Float(max(1, ignored.reduce(Self.count) { $1 ? $0 - 1 : $0 }))
        return changed > Self.cellShare * Float(Self.count)
            || CellKernels.largestBlock(deviations, limit: Self.cellLimit) > Self.blockThreshold
    }
}

/// Brings an older picture to the light of a newer one: each row of cells is multiplied by the mean of the middle half of
/// the ratios of its groups of cells, which things that move do not change.
private struct LightLevel {
    /// Four cells side by side have one ratio: to sort a quarter of the numbers takes a tenth of the time, and what moves
    /// covers neighbouring cells.
    private static let groups = SceneGate.columns / 4
    /// Added to the brightness, so that dark cells have no wild ratios.
    private static let offset: Float = 4

    /// What `adapt` made.
    private(set) var adapted = [Float](repeating: 0, count: SceneGate.count)
    private var ratios = [Float](repeating: 0, count: groups * SceneGate.rows)
    private let exchanges = SortingNetwork.exchanges(count: groups)

    mutating func adapt(_ reference: [Float], to cells: [Float], ignoring ignored: [Bool] = []) {
        CellKernels.ratios(cells, reference, groups: Self.groups, offset: Self.offset, &ratios)
        if !ignored.isEmpty { replaceRatios(of: ignored) }
        CellKernels.sortRows(&ratios, exchanges)
        CellKernels.multiply(reference, byMiddleOf: ratios, of: Self.groups, offset: Self.offset, &adapted)
    }
}

extension LightLevel {
    /// Replaces the ratios of groups with ignored cells by those of other groups in the same row, if there are any.
    private mutating func replaceRatios(of ignored: [Bool]) {
        let rows = SceneGate.rows
        for row in 0..<rows {
            func isIgnored(_ group: Int) -> Bool {
                (4 * group..<4 * group + 4).contains { ignored[$0 * rows + row] }
            }
            guard var source = (0..<Self.groups).first(where: { !isIgnored($0) }) else { continue }
            for group in 0..<Self.groups {
                if isIgnored(group) { ratios[group * rows + row] = ratios[source * rows + row] } else { source = group }
            }
        }
    }
}

/// Loops over the cells, columns first, on plain pointers: the compiler turns each into vector instructions.
private enum CellKernels {
    typealias Input = UnsafePointer<Float>
    typealias Output = UnsafeMutablePointer<Float>

    private static let count = SceneGate.count
    private static let rows = SceneGate.rows
    private static let columns = SceneGate.columns

    static func copy(_ cells: Input, to target: Output) {
        target.update(from: cells, count: count)
    }

    /// Moves the target by a share of the way to the cells.
    static func approach(_ cells: Input, share: Float, _ target: Output) {
        for index in 0..<count { target[index] += (cells[index] - target[index]) * share }
    }

    /// Learns variances from squared differences, of which at most nine times the variance counts.
    static func learn(_ cells: Input, _ other: Input, rate: Float, _ noise: Output) {
        for index in 0..<count {
            let difference = cells[index] - other[index]
            let square = difference * difference / 2
            let limit = 9 * noise[index] + 0.05
            noise[index] += ((square < limit ? square : limit) - noise[index]) * rate
        }
    }

    /// Writes, for each group of four columns, each row's ratio of their sums, with an offset added to every cell.
    static func ratios(_ cells: Input, _ reference: Input, groups: Int, offset: Float, _ output: Output) {
        for group in 0..<groups {
            let (above, below) = (cells + 4 * group * rows, reference + 4 * group * rows)
            let target = output + group * rows
            for row in 0..<rows {
                let upper = above[row] + above[rows + row] + above[2 * rows + row] + above[3 * rows + row]
                let lower = below[row] + below[rows + row] + below[2 * rows + row] + below[3 * rows + row]
                target[row] = (upper + 4 * offset) / (lower + 4 * offset)
            }
        }
    }

    /// Sorts each row of cells; all rows at the same time, since the exchanges do not depend on the numbers.
    ///
    /// In vectors by hand: the compiler cannot know that the two columns of an exchange do not overlap.
    static func sortRows(_ cells: Output, _ exchanges: [(Int, Int)]) {
        for (low, high) in exchanges {
            let lows = UnsafeMutableRawPointer(cells + low * rows)
            let highs = UnsafeMutableRawPointer(cells + high * rows)
            for offset in stride(from: 0, to: rows * MemoryLayout<Float>.stride, by: MemoryLayout<SIMD4<Float>>.stride)
            {
                let one = lows.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float>.self)
                let other = highs.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float>.self)
                let isSorted = one .< other
                lows.storeBytes(
                    of: other.replacing(with: one, where: isSorted),
                    toByteOffset: offset,
                    as: SIMD4<Float>.self
                )
                highs.storeBytes(
                    of: one.replacing(with: other, where: isSorted),
                    toByteOffset: offset,
                    as: SIMD4<Float>.self
                )
            }
        }
    }

    /// Multiplies each row by the mean of the middle half of its sorted ratios.
    static func multiply(
        _ cells: Input,
        byMiddleOf sorted: Input,
        of groups: Int,
        offset: Float,
        _ output: Output
    ) {
        let middle = groups / 4..<groups * 3 / 4
        // The first column of the output holds the gains until the rest is done.
        for row in 0..<rows { output[row] = 0 }
        for column in middle {
            for row in 0..<rows { output[row] += sorted[column * rows + row] }
        }
        for row in 0..<rows { output[row] /= Float(middle.count) }
        for column in (0..<columns).reversed() {
            for row in 0..<rows {
                let index = column * rows + row
                output[index] = (cells[index] + offset) * output[row] - offset
            }
        }
    }

    /// How far cells are from others, in standard deviations of the noise.
    static func deviations(
        _ cells: Input,
        _ other: Input,
        _ noise: Input,
        _ factor: Float,
        _ floor: Float,
        _ output: Output
    ) {
        for index in 0..<count {
            output[index] = (cells[index] - other[index]).magnitude / (factor * noise[index] + floor).squareRoot()
        }
    }

    static func count(_ cells: Input, above threshold: Float) -> Float {
        var found: Int32 = 0
        for index in 0..<count { found &+= cells[index] > threshold ? 1 : 0 }
        return Float(found)
    }

    static func countDifferences(_ cells: Input, _ other: Input, above threshold: Float) -> Float {
        var found: Int32 = 0
        for index in 0..<count { found &+= (cells[index] - other[index]).magnitude > threshold ? 1 : 0 }
        return Float(found)
    }

    /// The largest sum of 2 × 2 cells, each counted up to a limit.
    static func largestBlock(_ cells: Input, limit: Float) -> Float {
        var largest: Float = 0
        for column in 0..<columns - 1 {
            let (here, next) = (cells + column * rows, cells + (column + 1) * rows)
            for row in 0..<rows - 1 {
                let upper = min(here[row], limit) + min(next[row], limit)
                let lower = min(here[row + 1], limit) + min(next[row + 1], limit)
                largest = max(largest, upper + lower)
            }
        }
        return largest
    }
}

/// Batcher's odd-even merge sort as a list of positions to be compared and exchanged.
enum SortingNetwork {
    /// The exchanges that sort that many numbers.
    static func exchanges(count: Int) -> [(Int, Int)] {
        var exchanges: [(Int, Int)] = []
        var run = 1
        while run < count {
            var distance = run
            while distance > 0 {
                for start in stride(from: distance % run, to: count - distance, by: 2 * distance) {
                    for low in start..<min(start + distance, count - distance)
                    where low / (2 * run) == (low + distance) / (2 * run) {
                        exchanges.append((low, low + distance))
                    }
                }
                distance /= 2
            }
            run *= 2
        }
        return exchanges
    }
}
