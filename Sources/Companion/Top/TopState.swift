import FaceMessages
import TerminalPictures

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
