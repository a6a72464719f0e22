import FaceMessages
import TerminalPictures

/// What one face did lately, in steps of time.
struct FaceTrace: Hashable {
    /// The level of each signal in a step; nil if it is unknown.
    typealias Step = [Double?]

    /// How long a step is, in seconds.
    static let stepLength = 0.5
    private static let capacity = 120

    /// When the face was first noted, in seconds.
    let start: Double
    private(set) var face: FaceObject

    /// The steps, the newest last.
    private(set) var steps: [Step]

    private var newest: Int

    init(_ face: FaceObject, at seconds: Double) {
        self.face = face
        start = seconds
        steps = [Self.step(face)]
        newest = Self.index(of: seconds)
    }

    mutating func note(_ face: FaceObject, at seconds: Double) {
        advance(to: seconds)
        self.face = face
        let levels = zip(FaceSignal.all, zip(steps[steps.count - 1], Self.step(face)))
        steps[steps.count - 1] = levels.map { signal, levels in
            guard let before = levels.0, let now = levels.1 else { return levels.1 ?? levels.0 }
            return signal.together(before, now)
        }
    }

    /// Goes on to a time: metadata comes only when a value changes, so until then the face stays as it is.
    mutating func advance(to seconds: Double) {
        let passed = Self.index(of: seconds) - newest
        guard passed > 0 else { return }
        newest += passed
        steps += Array(repeating: Self.step(face), count: min(passed, Self.capacity))
        steps.removeFirst(max(0, steps.count - Self.capacity))
    }

    private static func step(_ face: FaceObject) -> Step { FaceSignal.all.map { $0.level(face) } }

    private static func index(of seconds: Double) -> Int { Int((seconds / stepLength).rounded(.down)) }

    /// Values as a line of bars, a character for each of the newest; blank where a value is unknown or there is none yet.
    static func sparkline(_ values: [Double?], in range: ClosedRange<Double>, width: Int) -> String {
        let bars = Array("▁▂▃▄▅▆▇█")
        let shown = values.suffix(width).map { value -> Character in
            guard let value, value.isFinite else { return " " }
            let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
            return bars[Int((min(max(share, 0), 1) * Double(bars.count - 1)).rounded())]
        }
        return String(repeating: " ", count: max(0, width - shown.count)) + String(shown)
    }
}
