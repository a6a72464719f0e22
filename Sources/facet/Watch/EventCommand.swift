import FaceMessages
import FaceMetadata
import Foundation
import System

/// A shell command that is run for each event, one after the other, with the event's fields in its environment.
struct EventCommand: Sendable {
    /// Bytes of an event that fit into a variable: Linux starts no program with a longer one than 32 pages of 4096 bytes
    /// (`MAX_ARG_STRLEN` in its `binfmts.h`), with its name and its end.
    private static let longestJSON = 32 * 4096 - "FACET_JSON=".utf8.count - 1
    var command: String

    /// Runs the command for an event and waits for its end.
    ///
    /// - Returns: what went wrong; nil if it ended with status 0.
    func run(_ message: EventMessage, payload: [UInt8]) async -> String? {
        let environment = ProcessInfo.processInfo.environment
            .merging(Self.fields(of: message, payload: payload)) { _, new in new }
        let name = Topic(message.event.kind).rawValue
        switch await ShellCommand(text: command, environment: environment).run() {
        case .exited(0): return nil
        case .exited(let status): return "the command for \(name) ended with status \(status)"
        case .signalled(let number): return "the command for \(name) was ended by signal \(number)"
        case .notStarted(let reason): return "the command for \(name) could not be started: \(reason)"
        }
    }

    /// The event's fields by the names a command finds them under; what is unknown is not there.
    static func fields(of message: EventMessage, payload: [UInt8]) -> [String: String] {
        var fields = [
            "FACET_EVENT": Topic(message.event.kind).rawValue, "FACET_FACE": String(message.event.face.faceID.rawValue),
        ]
        if payload.count <= Self.longestJSON { fields["FACET_JSON"] = String(decoding: payload, as: UTF8.self) }
        // As it was understood: what else a publisher sends must not become a variable.
        let known = MessageEncoder(camera: message.origin.camera, boot: message.origin.boot)
            .event(message.event, id: message.id, seq: message.seq, latency: message.latency)
        let object = (try? JSONSerialization.jsonObject(with: Data(known.payload))) as? [String: Any] ?? [:]
        for (name, value) in object where value is String || value is NSNumber {
            let words = name.replacing(/([a-z])([A-Z])/) { "\($0.output.1)_\($0.output.2)" }.uppercased()
            fields["FACET_\(words)"] = "\(value)"
        }
        return fields
    }
}

/// Runs a command for one event after the other, while the next ones come in.
struct EventCommandQueue {
    /// How many events may wait for a slow command; the oldest is dropped and reported.
    private static let capacity = 100

    private let events: AsyncStream<(EventMessage, [UInt8])>.Continuation
    private let worker: Task<Void, Never>

    init(_ command: EventCommand) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: (EventMessage, [UInt8]).self,
            bufferingPolicy: .bufferingNewest(Self.capacity)
        )
        events = continuation
        worker = Task {
            for await (event, payload) in stream {
                if let problem = await command.run(event, payload: payload) { StandardOutput.note(problem) }
            }
        }
    }

    func add(_ event: EventMessage, payload: [UInt8]) {
        if case .dropped(let (lost, _)) = events.yield((event, payload)) {
            let kind = Topic(lost.event.kind).rawValue
            StandardOutput.note(
                "the command is too slow: no command for the \(kind) of \(lost.event.stamp.time.iso8601)"
            )
        }
    }

    /// Waits until the command has run for all events.
    func finish() async {
        events.finish()
        await worker.value
    }
}
