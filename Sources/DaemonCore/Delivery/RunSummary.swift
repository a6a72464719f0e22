/// Counts the events of each face for the summary that a terminal shows at the end of a run.
final class RunSummary: MessageSink {
    private struct Row {
        var start: Double?
        var dwell: Double?
        var counts: [Topic: Int] = [:]
    }

    /// The maximum number of faces listed. Further faces are only counted, as a camera may run for days.
    private static let capacity = 40

    private let state = Mutex((rows: [FaceID: Row](), enters: 0))

    /// Counts the message if it is an event.
    func send(_ message: Message) {
        guard message.topic.isEvent,
            case .event(let decoded)? = try? MessageDecoder().decode(message.payload, on: message.topic)
        else { return }
        let event = decoded.event
        state.withLock { state in
            let face = event.face.faceID
            if case .enter = event.kind { state.enters += 1 }
            guard state.rows[face] != nil || state.rows.count < Self.capacity else { return }
            switch event.kind {
            case .enter: state.rows[face, default: Row()].start = event.stamp.mediaTime
            case .leave(let dwell, _, _): state.rows[face, default: Row()].dwell = dwell
            default: state.rows[face, default: Row()].counts[message.topic, default: 0] += 1
            }
        }
    }

    /// Returns the summary: the number of faces in `frames` analysed frames, then a line for each listed face.
    func lines(frames: Int) -> [String] {
        state.withLock { state in
            let analysed = frames == 1 ? "1 frame" : "\(frames) frames"
            guard !state.rows.isEmpty else { return ["no face was seen in \(analysed)"] }
            let number = max(state.enters, state.rows.count)
            var lines = [(number == 1 ? "1 face" : "\(number) faces") + " in \(analysed)"]
            for (face, row) in state.rows.sorted(by: { $0.key < $1.key }) {
                lines.append("  face \(face.rawValue)  \(Self.words(of: row))")
            }
            if number > state.rows.count { lines.append("  and \(number - state.rows.count) more") }
            return lines
        }
    }

    private static func words(of row: Row) -> String {
        let place = [row.start.map { "from \(Seconds.text($0))" }, row.dwell.map { "for \(Seconds.text($0))" }]
            .compactMap(\.self)
        let counts = Topic.events.compactMap { topic in row.counts[topic].map { "\(topic.rawValue) × \($0)" } }
        return place.joined(separator: " ") + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))
    }
}
