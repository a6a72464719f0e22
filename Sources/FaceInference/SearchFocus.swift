import FaceMetadata
import Frames

/// Chooses the part of the picture in which the full-range detector looks for small faces: where the change map differs from what it
/// was when the detector looked there, otherwise each part in turn.
///
/// The detector scales what it sees to 192 pixels. Of faces of a twentieth of the width of a 640×480 picture it finds 51 % in the whole,
/// 97 % in squares of three quarters of the shorter side; at 1280×720 82 % and 100 % (90 portraits of GENKI-4K at random places).
struct SearchFocus {
    /// Places, each of 2 × 2 cells of the map, by rows: of places that changed alike the upper one comes first, since a face is
    /// the upper end of a person.
    private static let columns = ChangeMap.columns / 2
    private static let rows = ChangeMap.rows / 2
    private static let count = columns * rows
    /// The square's side as a share of the shorter side of the part that is searched.
    static let side = 0.75
    /// A place has changed if its mean brightness differs by this many grey levels; noise and a face's own places do less.
    private static let threshold: Float = 5
    /// Differences count no more than this, so that a person who waves all the time does not get every search.
    private static let limit: Float = 10
    /// The side of what is looked at after a cut, in shares of the shorter side, and how much of it must have changed.
    private static let wideSide = 4.0 / 3
    private static let wideShare = 0.6
    /// While nothing changes, each of so many looks takes in the whole.
    private static let wholeInterval = 4

    /// The cells as they were when the detector looked at them closely.
    private let reference = Cells(count: ChangeMap.count)
    /// How many looks ago that will be at the next one.
    private var ages = [Float](repeating: 1, count: count)
    private var looks = 0
    /// Whether the latest look was at what a cut had changed.
    private var wasWide = false

    mutating func reset() { looks = 0 }

    /// Where to look in a frame whose cells the map reads: a square within its region, or all of it. What changes at faces that are
    /// followed is known.
    mutating func next(in frame: Frame, _ map: ChangeMap, faces: [CropRegion]) -> NormalizedRect {
        let whole = map.region
        var size = SIMD2(whole.width, whole.height) * SIMD2<Double>(frame.uprightSize.vector)
        // As the cells lie.
        if frame.orientation.swapsAxes { size = SIMD2(size.y, size.x) }
        defer { looks += 1 }
        guard size.min() > 0, map.read(frame) else { return whole }
        guard looks > 0 else {
            reference.copy(map.cells)
            for index in 0..<Self.count { ages[index] = 1 }
            return whole
        }
        map.cover(faces.map { .init(around: $0.center, .init(repeating: $0.side / 2)) }, in: frame)
        guard let part = part(changed: changes(in: map), size) else {
            // The light may have changed slowly.
            reference.approach(map.cells, share: 0.5)
            return whole
        }
        note(part, map)
        let toRegion = AffineMap(a: whole.width, b: 0, c: 0, d: whole.height, tx: whole.x, ty: whole.y)
        return part.mapped(by: frame.orientation.uprightFromStored.then(toRegion))
    }

    /// How much each place has changed since it was looked at, by more than the median of all places, which is the light; 0
    /// where that is too little, or where a face covers most of it.
    private func changes(in map: ChangeMap) -> [Float] {
        func sums(_ cells: Cells) -> [Float] {
            (0..<Self.count).map { Self.cells(of: $0).reduce(0) { $0 + cells.numbers[$1] } }
        }
        let (now, before, weights) = (sums(map.cells), sums(reference), sums(map.weights))
        // A number is added to the brightness, so that dark places have no wild ratios.
        let gain = (0..<Self.count).map { (now[$0] + 16) / (before[$0] + 16) }.sorted()[Self.count / 2]
        return (0..<Self.count).map { place in
            let change = (now[place] + 16 - (before[place] + 16) * gain).magnitude / 4
            return change < Self.threshold || weights[place] < 2 ? 0 : min(change, Self.limit)
        }
    }

    private static func cells(of place: Int) -> [Int] {
        let first = 2 * (place % columns) * ChangeMap.rows + 2 * (place / columns)
        return [first, first + 1, first + ChangeMap.rows, first + ChangeMap.rows + 1]
    }

    /// The part of a region of that many pixels to look at, in shares of it; nil for all of it.
    private mutating func part(changed: [Float], _ size: SIMD2<Double>) -> NormalizedRect? {
        if let wide = widePart(changed, size) { return wide }
        let side = Self.side * size.min()
        let best = changed.indices.max { changed[$0] * ages[$0] < changed[$1] * ages[$1] }
        var center: SIMD2<Double>
        if let best, changed[best] > 0 {
            center = Self.middle(of: best).vector * size
        } else if looks.isMultiple(of: Self.wholeInterval) {
            return nil
        } else {
            // The first place that was not looked at for longest is the upper left corner of what comes next.
            let oldest = ages.firstIndex(of: ages.max() ?? 0) ?? 0
            let (half, overlap) = (size / SIMD2(Double(2 * Self.columns), Double(2 * Self.rows)), side / 8)
            center = Self.middle(of: oldest).vector * size - half - overlap + side / 2
        }
        center.clamp(lowerBound: .init(repeating: side / 2), upperBound: size - side / 2)
        return NormalizedRect(center: center / size, size: side / size)
    }

    /// The part, a third longer than the shorter side, of which most has changed, as by a hard cut; nil if there is none, or
    /// if the latest look was at such a part.
    ///
    /// A face of a twentieth of a wide picture is large enough in there, and where it lies is unknown.
    private mutating func widePart(_ changed: [Float], _ size: SIMD2<Double>) -> NormalizedRect? {
        let isWide = size.x > size.y
        let (count, across) = isWide ? (Self.columns, Self.rows) : (Self.rows, Self.columns)
        let share = min(1, Self.wideSide * size.min() / size.max())
        let length = Int((share * Double(count)).rounded())
        let lines = (0..<count).map { line in
            (0..<across).count { changed[isWide ? $0 * Self.columns + line : line * Self.columns + $0] > 0 }
        }
        let sums = (0...count - length).map { lines[$0..<$0 + length].reduce(0, +) }
        let most = sums.max() ?? 0
        wasWide = !wasWide && Double(most) > Self.wideShare * Double(length * across)
        guard wasWide, let first = sums.firstIndex(of: most) else { return nil }
        let start = min(Double(first) / Double(count), 1 - share)
        return isWide
            ? NormalizedRect(x: start, y: 0, width: share, height: 1)
            : NormalizedRect(x: 0, y: start, width: 1, height: share)
    }

    /// The middle of a place, as shares of the region.
    private static func middle(of place: Int) -> NormalizedPoint {
        let (column, row) = (Double(place % columns), Double(place / columns))
        return NormalizedPoint(x: (column + 0.5) / Double(columns), y: (row + 0.5) / Double(rows))
    }

    private mutating func note(_ part: NormalizedRect, _ map: ChangeMap) {
        for place in 0..<Self.count {
            let isIn = part.contains(Self.middle(of: place))
            ages[place] = isIn ? 1 : ages[place] + 1
            guard isIn else { continue }
            // Half of it: a change that is large is looked at again, from another position.
            for cell in Self.cells(of: place) {
                reference.numbers[cell] += (map.cells.numbers[cell] - reference.numbers[cell]) / 2
            }
        }
    }
}

extension NormalizedRect {
    /// Where the rectangle goes with a map that turns by right angles only.
    fileprivate func mapped(by map: AffineMap<Double>) -> NormalizedRect {
        let (one, other) = (map(x, y), map(x + width, y + height))
        let (left, top) = (min(one.x, other.x), min(one.y, other.y))
        return NormalizedRect(x: left, y: top, width: abs(one.x - other.x), height: abs(one.y - other.y))
    }
}
