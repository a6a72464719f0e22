import FaceMetadata
import Frames

/// Chooses the part of the picture in which the full-range detector looks for small faces: where something changed since
/// it looked there, otherwise each part in turn.
///
/// The detector scales what it sees to 192 pixels. Of faces of a twentieth of the width of a 640×480 picture it finds
/// 51 % in the whole picture, 97 % in squares of three quarters of the shorter side; at 1280×720 82 % and 100 % (90
/// portraits of GENKI-4K at random places). One such square takes as long as the whole picture.
struct SearchFocus {
    private static let columns = 24
    private static let rows = 18
    private static let count = columns * rows
    /// The square's side as a share of the shorter side of the part that is searched.
    static let side = 0.75
    /// A cell has changed if its mean brightness differs by this many grey levels; noise and a face's own cells do less.
    private static let threshold: Float = 5
    /// Differences count no more than this, so that who waves all the time does not draw every look.
    private static let limit: Float = 10
    /// Added to the brightness, so that dark cells have no wild ratios.
    private static let offset: Float = 4
    /// The side of what is looked at after a cut, in shares of the shorter side, and how much of it must have changed.
    private static let wideSide = 4.0 / 3
    private static let wideShare = 0.6
    /// While nothing changes, each of so many looks takes in the whole.
    private static let wholeInterval = 4

    private let grid = LuminanceGrid(columns: columns, rows: rows)
    private var cells = [Float](repeating: 0, count: count)
    /// The cells as they were when the detector looked at them closely.
    private var reference = [Float](repeating: 0, count: count)
    /// How many looks ago that will be at the next one.
    private var ages = [Float](repeating: 1, count: count)
    /// The cells that differ from the reference, without those of followed faces.
    private var changed = [Bool](repeating: false, count: count)
    private var looks = 0
    /// Whether the latest look was at what a cut had changed.
    private var wasWide = false

    /// Forgets the scene.
    mutating func reset() { looks = 0 }

    /// Where to look in a frame, in the part of it that is wanted.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - whole: The part of the upright picture in which faces are wanted.
    ///   - faces: The faces that are followed: what changes there is known.
    /// - Returns: A square within that part, or all of it.
    mutating func next(in frame: Frame, of whole: NormalizedRect, faces: [CropRegion]) -> NormalizedRect {
        let size = frame.uprightSize
        let (width, height) = (whole.width * Double(size.width), whole.height * Double(size.height))
        let side = Self.side * min(width, height)
        defer { looks += 1 }
        guard sample(frame, whole), side > 0 else { return whole }
        guard looks > 0 else {
            reference = cells
            for index in 0..<Self.count { ages[index] = 1 }
            return whole
        }
        var (best, score): (Int?, Float) = (nil, 0)
        let gain = lightGain()
        for index in 0..<Self.count {
            let expected = (reference[index] + Self.offset) * gain - Self.offset
            let change = abs(cells[index] - expected)
            let value = min(change, Self.limit) * ages[index]
            changed[index] = change >= Self.threshold && !isInside(index, faces, whole, size)
            if changed[index], value > score { (best, score) = (index, value) }
        }
        if let wide = wideSquare(width: width, height: height) {
            note(wide)
            return wide.inside(whole)
        }
        let square: (x: Double, y: Double)
        if let best {
            square = (position(best).x * width - side / 2, position(best).y * height - side / 2)
        } else if looks.isMultiple(of: Self.wholeInterval) {
            // The light may have changed slowly.
            for index in 0..<Self.count { reference[index] += (cells[index] - reference[index]) / 2 }
            return whole
        } else {
            // The first cell that was not looked at for longest is the upper left corner of what comes next.
            let oldest = ages.indices.max { ages[$0] < ages[$1] || (ages[$0] == ages[$1] && $0 > $1) } ?? 0
            let overlap = side / 8
            square = (
                position(oldest).x * width - width / Double(2 * Self.columns) - overlap,
                position(oldest).y * height - height / Double(2 * Self.rows) - overlap
            )
        }
        let rect = NormalizedRect(
            x: min(max(square.x, 0), width - side) / width,
            y: min(max(square.y, 0), height - side) / height,
            width: side / width,
            height: side / height
        )
        note(rect)
        return rect.inside(whole)
    }

    /// The part, a third longer than the shorter side, of which most has changed, as by a hard cut; nil if there is none, or
    /// if the latest look was at such a part.
    ///
    /// A face of a twentieth of a wide picture is large enough in there, and where it is nobody knows.
    private mutating func wideSquare(width: Double, height: Double) -> NormalizedRect? {
        let isWide = width > height
        let (count, across) = isWide ? (Self.columns, Self.rows) : (Self.rows, Self.columns)
        let share = min(1, Self.wideSide * min(width, height) / max(width, height))
        let length = Int((share * Double(count)).rounded())
        let lines = (0..<count).map { line in
            (0..<across).reduce(0) {
                $0 + (changed[isWide ? $1 * Self.columns + line : line * Self.columns + $1] ? 1 : 0)
            }
        }
        let sums = (0...count - length).map { lines[$0..<$0 + length].reduce(0, +) }
        let most = sums.max() ?? 0
        guard !wasWide, Double(most) > Self.wideShare * Double(length * across), let first = sums.firstIndex(of: most)
        else {
            wasWide = false
            return nil
        }
        wasWide = true
        let start = min(Double(first) / Double(count), 1 - share)
        return isWide
            ? NormalizedRect(x: start, y: 0, width: share, height: 1)
            : NormalizedRect(x: 0, y: start, width: 1, height: share)
    }

    private mutating func sample(_ frame: Frame, _ whole: NormalizedRect) -> Bool {
        let size = frame.uprightSize
        let rectangle = LuminanceGrid.Rectangle(
            left: Float(whole.x) * Float(size.width),
            top: Float(whole.y) * Float(size.height),
            right: Float(whole.x + whole.width) * Float(size.width),
            bottom: Float(whole.y + whole.height) * Float(size.height)
        )
        return cells.withUnsafeMutableBufferPointer { cells in
            guard let base = cells.baseAddress else { return false }
            return grid.sample(frame, rectangle, into: base)
        }
    }

    /// By how much the picture has become brighter: the median of the cells' ratios.
    private func lightGain() -> Float {
        let ratios = (0..<Self.count).map { (cells[$0] + Self.offset) / (reference[$0] + Self.offset) }.sorted()
        return ratios[Self.count / 2]
    }

    /// The middle of a cell, as shares of the part that is searched.
    private func position(_ index: Int) -> (x: Double, y: Double) {
        (
            (Double(index % Self.columns) + 0.5) / Double(Self.columns),
            (Double(index / Self.columns) + 0.5) / Double(Self.rows)
        )
    }

    private func isInside(_ index: Int, _ faces: [CropRegion], _ whole: NormalizedRect, _ size: FrameSize) -> Bool {
        let (x, y) = position(index)
        let column = Float((whole.x + x * whole.width) * Double(size.width))
        let row = Float((whole.y + y * whole.height) * Double(size.height))
        return faces.contains { max(abs($0.centerX - column), abs($0.centerY - row)) < $0.side / 2 }
    }

    private mutating func note(_ rect: NormalizedRect) {
        for index in 0..<Self.count {
            let (x, y) = position(index)
            let isIn = x >= rect.x && x <= rect.x + rect.width && y >= rect.y && y <= rect.y + rect.height
            ages[index] = isIn ? 1 : ages[index] + 1
            // Half of it: a change that is large is looked at again, from another position.
            if isIn { reference[index] += (cells[index] - reference[index]) / 2 }
        }
    }
}

extension NormalizedRect {
    /// Where a part of another rectangle lies in the picture.
    fileprivate func inside(_ whole: NormalizedRect) -> NormalizedRect {
        NormalizedRect(
            x: whole.x + x * whole.width,
            y: whole.y + y * whole.height,
            width: width * whole.width,
            height: height * whole.height
        )
    }
}
