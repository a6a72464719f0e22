import ArgumentParser
import FaceMessages
import TerminalPictures

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows each face with its last seconds, live, and the events below.",
        discussion: """
            One row for each face: how long it has been seen by this command, its smile, its open eyes, its looks and its angles, each \
            as a line of bars for the last seconds (half a second a bar) and as its value now. Angles reach from −45° to \
            45°. A face that is hidden stands back. All cameras that are there, unless --camera or --topic name some. q ends it.

            Examples:
              facet top
              facet top --camera porch
              facet top --source /dev/video0
            """
    )

    @OptionGroup var live: SourceOptions

    func run() async throws {
        guard StandardOutput.isTerminal else {
            throw CommandFailure("facet top needs a terminal: use `facet watch` for lines, `facet report` for a page")
        }
        let subscriber = try await live.subscriber(command: "top", topics: Topic.followed, all: true)
        let terminal = try Terminal(format: .cells)
        defer { terminal.release() }
        let formatter = TopFormatter(hasColors: StandardOutput.hasColors)
        var top = TopState()
        try await subscriber.follow(terminal, every: .milliseconds(100)) { input in
            guard case .occurrence(let occurrence) = input.content else {
                top.advance(to: input.seconds)
                let (note, size) = (live.source ?? input.connection, TerminalSize.current)
                terminal.show(
                    lines: formatter.lines(top, columns: size.columns, rows: size.rows, at: input.seconds, note: note)
                )
                return true
            }
            top.take(occurrence, at: input.seconds)
            return true
        }
    }
}

extension Terminal {
    /// Shows lines from the top of the screen instead of what is there.
    func show(lines: [String]) {
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        show(Array(("\u{1B}[H" + text + "\u{1B}[J").utf8))
    }
}

/// The faces of all cameras that were heard, what they did lately, and the last events.
struct TopState {
    private static let capacity = 100
    private(set) var table = CameraTable()

    /// The last events, the newest first.
    private(set) var events: [(base: String, message: EventMessage)] = []

    private var traces: [String: [FaceID: FaceTrace]] = [:]

    /// The faces that are there, by base and number.
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
        note(state?.faces ?? [], of: base, at: seconds)
    }

    /// Lets time go on while no message comes.
    mutating func advance(to seconds: Double) {
        for base in traces.keys {
            for face in traces[base, default: [:]].keys { traces[base]?[face]?.advance(to: seconds) }
        }
    }

    private mutating func note(_ faces: [FaceObject], of base: String, at seconds: Double) {
        let old = traces[base] ?? [:]
        var new: [FaceID: FaceTrace] = [:]
        for face in faces {
            var trace = old[face.faceID] ?? FaceTrace(face, at: seconds)
            trace.note(face, at: seconds)
            new[face.faceID] = trace
        }
        traces[base] = new
    }
}

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
