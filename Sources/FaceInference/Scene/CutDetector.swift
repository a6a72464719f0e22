/// Tells whether a picture shows another scene than the one before it.
final class CutDetector {
    /// How a picture differs from the one before it.
    enum Step {
        /// The pictures differ as those of one scene do.
        case small
        /// Most cells differ, but not by more than the light: it has changed, or the former scene was as uniform.
        case light
        /// Most cells differ by more than the light.
        case cut
    }

    /// The share of the cells that a cut changes, and the grey levels by which it changes them.
    private static let share: Float = 0.5
    private static let difference: Float = 12

    private let previous = Cells(count: ChangeMap.count)
    private var hasPrevious = false

    /// Compares a frame with the one before it; nil for the first one.
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
