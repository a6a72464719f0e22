/// Tells whether a frame shows another scene than the one before it.
final class CutDetector {
    /// How a frame differs from the one before it.
    enum Step {
        /// The frames differ no more than frames of one scene do.
        case small
        /// Most cells differ, but a change of light can explain that. It always can between two uniform scenes.
        case light
        /// Most cells differ by more than a change of light can explain.
        case cut
    }

    /// The fraction of the cells that a cut must change, each by at least `difference` grey levels.
    private static let share: Float = 0.5
    private static let difference: Float = 12

    private let previous = Cells(count: ChangeMap.count)
    private var hasPrevious = false

    /// Compares a frame with the one before it; nil for the first frame.
    func step(to frame: Frame, _ map: ChangeMap) -> Step? { map.read(frame) ? step(to: map) : .small }

    func step(to map: ChangeMap) -> Step? {
        defer {
            previous.copy(map.cells)
            hasPrevious = true
        }
        guard hasPrevious else { return nil }
        guard isOther(map, than: previous) else { return .small }
        map.uncover()
        return isOther(map, than: map.adapt(previous, to: map.cells)) ? .cut : .light
    }

    func reset() { hasPrevious = false }

    private func isOther(_ map: ChangeMap, than others: Cells) -> Bool {
        var found = SIMD4<Int32>.zero
        for index in others.indices {
            let isOther = (map.cells[index] - others[index]).magnitude .> Self.difference
            found.replace(with: found &+ 1, where: isOther)
        }
        return Float(found.wrappedSum()) > Self.share * Float(ChangeMap.count)
    }
}
