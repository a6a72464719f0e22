import FaceMessages
import FaceMetadata
import Foundation
import MQTT
import OverlayRendering

/// The faces of all daemons that were heard, what they did lately, and the last events.
struct TopBoard {
    /// An event and the base of the daemon that published it.
    struct Event {
        var base: String
        var message: EventMessage
    }

    /// Events kept.
    private static let capacity = 100

    /// What each daemon reported, by the base of its topics.
    private(set) var models: [String: LiveModel] = [:]

    /// The last events, the newest first.
    private(set) var events: [Event] = []

    private var traces: [String: [FaceID: FaceTrace]] = [:]

    /// The faces that are there, by base and number.
    var rows: [(base: String, trace: FaceTrace)] {
        traces.sorted { $0.key.compare($1.key, options: .numeric) == .orderedAscending }.flatMap { base, faces in
            faces.sorted { $0.key < $1.key }.map { (base, $0.value) }
        }
    }

    /// Takes what happened on the connection, at a time in seconds.
    mutating func take(_ occurrence: Subscriber.Occurrence, at seconds: Double) {
        switch occurrence {
        case .connection(let state):
            // Without a connection nothing is known of any face.
            if !state.isConnected { (models, traces) = ([:], [:]) }
        case .message(let topic, let message):
            let base = message.base(of: topic)
            var model = models[base] ?? LiveModel()
            // A message that breaks the contract changes nothing.
            guard let change = model.take(occurrence, at: seconds) else { return }
            models[base] = model
            if case .event(let event) = change {
                events.insert(Event(base: base, message: event), at: 0)
                if events.count > Self.capacity { events.removeLast() }
            }
            note(model.scene.layers.map(\.face), of: base, at: seconds)
        case .foreign: break
        }
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
