/// The faces of all cameras, their recent values, and the last events.
struct TopState {
    private static let capacity = 100
    private(set) var table = CameraTable()
    /// The last events, the newest first.
    private(set) var events: [(base: String, message: EventMessage)] = []
    private(set) var traces: [String: [FaceID: FaceTrace]] = [:]

    /// The present faces, ordered by topic base and face number.
    var rows: [(base: String, trace: FaceTrace)] {
        table.sorted.flatMap { base, _ in
            traces[base, default: [:]].sorted { $0.key < $1.key }.map { (base, $0.value) }
        }
    }

    mutating func take(_ occurrence: Subscriber.Occurrence, at seconds: Double) {
        guard let (base, change) = table.take(occurrence) else {
            // Without a connection nothing is known of any face.
            if table.cameras.isEmpty { traces = [:] }
            return
        }
        let state = table.cameras[base]
        if change.contains(.event), let event = state?.lastEvent {
            events.insert((base, event), at: 0)
            if events.count > Self.capacity { events.removeLast() }
        }
        let old = traces[base] ?? [:]
        let new = (state?.faces ?? []).map { face in
            var trace = old[face.faceID] ?? FaceTrace(face, at: seconds)
            trace.note(face, at: seconds)
            return (face.faceID, trace)
        }
        traces[base] = new.isEmpty ? nil : Dictionary(new) { $1 }
    }

    /// Extends the recent values of all faces up to a time, in seconds, by their present values.
    mutating func advance(to seconds: Double) {
        for base in traces.keys {
            for face in traces[base, default: [:]].keys { traces[base]?[face]?.advance(to: seconds) }
        }
    }
}

/// The recent values of one face, in steps of half a second.
struct FaceTrace: Hashable {
    /// The level of each of `FaceSignal.all` in one step of time; nil if it is unknown.
    typealias Step = [Double?]

    private static let stepLength = 0.5
    private static let capacity = 120

    /// When the face was first seen, in seconds since the command began.
    let start: Double
    private(set) var face: FaceObject
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

    /// Extends the trace up to a time, in seconds, with the present values, since metadata comes only with changes.
    mutating func advance(to seconds: Double) {
        let passed = Self.index(of: seconds) - newest
        guard passed > 0 else { return }
        newest += passed
        steps += Array(repeating: Self.step(face), count: min(passed, Self.capacity))
        steps.removeFirst(max(0, steps.count - Self.capacity))
    }

    private static func step(_ face: FaceObject) -> Step { FaceSignal.all.map { $0.level(face) } }
    private static func index(of seconds: Double) -> Int { Int((seconds / stepLength).rounded(.down)) }

    /// The newest `width` values as a line of bars, one character each; blank where there is no value.
    static func sparkline(_ values: [Double?], in range: ClosedRange<Double>, width: Int) -> String {
        let bars = Array("▁▂▃▄▅▆▇█")
        let shown = values.suffix(width).map { value -> Character in
            guard let value, value.isFinite else { return " " }
            let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
            return bars[Int((min(max(share, 0), 1) * Double(bars.count - 1)).rounded())]
        }
        return String(shown).padding(to: width, alignsRight: true)
    }
}

/// A value of a face that is shown in a column: as a sparkline and as text.
struct FaceSignal {
    let name: String
    /// The values of the lowest and the highest bar; −45°…45° for angles, so that straight ahead is in the middle.
    var range = 0.0...1
    /// The value to draw as a bar, for a face; nil if it is unknown.
    let level: (FaceObject) -> Double?
    /// Combines two values in one step of time, so that a short blink or smile shows too. The default keeps the newer.
    var together: (Double, Double) -> Double = { $1 }
    /// Whether to highlight the value; nil means no.
    var active: (FaceObject) -> Bool? = { _ in nil }
    /// The value as text; nil if it is unknown.
    let value: (FaceObject) -> String?

    static let valueWidth = 5

    static var all: [FaceSignal] {
        let angles: [(String, (HeadPose) -> Double?)] = [("YAW", \.yaw), ("PITCH", \.pitch), ("ROLL", \.roll)]
        return [
            FaceSignal(name: "SMILE", level: \.smile, together: max, active: \.smiling) { $0.smile.map(percent) },
            FaceSignal(
                name: "EYES",
                level: { $0.eyes.map { ($0.left ? 0 : 0.5) + ($0.right ? 0 : 0.5) } },
                together: min,
                active: { $0.leftEyeClosed == true || $0.rightEyeClosed == true }
            ) {
                $0.eyes.map { $0.left && $0.right ? "shut" : $0.left ? "left" : $0.right ? "right" : "open" }
            },
            FaceSignal(name: "LOOK", level: { $0.looking.map { $0 ? 1 : 0 } }, together: max, active: \.looking) {
                $0.looking.map { $0 ? "here" : "away" }
            },
        ]
            + angles.map { name, angle in
                FaceSignal(name: name, range: -45...45, level: { $0.pose.flatMap(angle) }) {
                    $0.pose.flatMap(angle).map(degrees)
                }
            }
    }
}

extension FaceObject {
    /// Which eyes are closed; nil unless it is known of both.
    fileprivate var eyes: (left: Bool, right: Bool)? {
        guard let leftEyeClosed, let rightEyeClosed else { return nil }
        return (leftEyeClosed, rightEyeClosed)
    }
}
