import FaceMetadata

extension ClosedRange<Double> {
    /// Where a value lies, 0 at the lower bound and 1 at the upper one; values outside count as the nearer bound.
    func share(of value: Double) -> Double {
        (Swift.min(Swift.max(value, lowerBound), upperBound) - lowerBound) / (upperBound - lowerBound)
    }
}

/// What one face did lately, in steps of time.
struct FaceTrace: Hashable {
    /// The values of a step; what is unknown is nil.
    struct Step: Hashable {
        /// The strongest smile, 0…1.
        var smile: Double?
        /// How many of the eyes were open at the least, as a share: a blink must not fall between two steps.
        var eyes: Double?
        /// 1 if the face looked at the camera at some time, 0 if it did not.
        var look: Double?
        /// The last angles, in degrees.
        var yaw: Double?, pitch: Double?, roll: Double?

        fileprivate init(_ face: FaceObject) {
            smile = face.smile
            if let left = face.leftEyeClosed, let right = face.rightEyeClosed {
                eyes = (left ? 0 : 0.5) + (right ? 0 : 0.5)
            }
            look = face.looking.map { $0 ? 1 : 0 }
            (yaw, pitch, roll) = (face.pose?.yaw, face.pose?.pitch, face.pose?.roll)
        }

        fileprivate mutating func add(_ later: Step) {
            smile = [smile, later.smile].compactMap(\.self).max()
            eyes = [eyes, later.eyes].compactMap(\.self).min()
            look = [look, later.look].compactMap(\.self).max()
            (yaw, pitch, roll) = (later.yaw, later.pitch, later.roll)
        }
    }

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
        steps = [Step(face)]
        newest = Self.index(of: seconds)
    }

    mutating func note(_ face: FaceObject, at seconds: Double) {
        advance(to: seconds)
        self.face = face
        steps[steps.count - 1].add(Step(face))
    }

    /// Goes on to a time: metadata comes only when a value changes, so until then the face stays as it is.
    mutating func advance(to seconds: Double) {
        let passed = Self.index(of: seconds) - newest
        guard passed > 0 else { return }
        newest += passed
        steps += Array(repeating: Step(face), count: min(passed, Self.capacity))
        steps.removeFirst(max(0, steps.count - Self.capacity))
    }

    private static func index(of seconds: Double) -> Int { Int((seconds / stepLength).rounded(.down)) }

    /// Values as a line of bars, a character for each of the newest; blank where a value is unknown or there is none yet.
    static func sparkline(_ values: [Double?], in range: ClosedRange<Double>, width: Int) -> String {
        let bars = Array("▁▂▃▄▅▆▇█")
        let shown = values.suffix(width).map { value -> Character in
            guard let value, value.isFinite else { return " " }
            let share = range.share(of: value)
            return bars[Int((share * Double(bars.count - 1)).rounded())]
        }
        return String(repeating: " ", count: max(0, width - shown.count)) + String(shown)
    }
}
