import FaceMessages
import FaceMetadata
import Foundation

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
        let event = message.event
        var fields = [
            "FACET_EVENT": Topic(event.kind).rawValue,
            "FACET_CAMERA": message.origin.camera,
            "FACET_FACE": String(event.face.faceID.rawValue),
            "FACET_TIME": event.stamp.time.iso8601,
            "FACET_FRAME": String(event.stamp.frame),
            "FACET_MEDIA_TIME": String(event.stamp.mediaTime),
            "FACET_CONFIDENCE": String(event.face.confidence),
            "FACET_ID": message.id,
        ]
        if payload.count <= Self.longestJSON { fields["FACET_JSON"] = String(decoding: payload, as: UTF8.self) }
        if let pose = event.face.pose {
            fields["FACET_ROLL"] = String(pose.roll)
            fields["FACET_YAW"] = String(pose.yaw)
            fields["FACET_PITCH"] = String(pose.pitch)
        }
        if case .leave(let dwell, _, let reason) = event.kind {
            fields["FACET_DWELL"] = String(dwell)
            fields["FACET_REASON"] = reason.rawValue
        }
        if case .smileEnd(_, let peak) = event.kind { fields["FACET_PEAK"] = String(peak) }
        if case .sign(let sign) = event.kind { fields["FACET_KIND"] = sign.rawValue }
        fields["FACET_EYES"] = event.kind.eyes?.rawValue
        fields["FACET_DURATION"] = event.kind.duration.map { String($0) }
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
