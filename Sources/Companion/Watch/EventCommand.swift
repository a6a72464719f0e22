/// A shell command that runs once per message, with the message's fields in environment variables.
struct EventCommand: Sendable {
    /// The maximum payload size, in bytes, for an environment variable. Linux starts no program with a variable of more
    /// than 32 pages of 4096 bytes (`MAX_ARG_STRLEN` in `binfmts.h`), including the name and the final zero.
    private static let longestJSON = 32 * 4096 - "FACET_JSON=".utf8.count - 1
    var command: String

    /// Runs the command for a message and waits for its end. Returns the error; nil if it ended with status 0.
    func run(_ message: DaemonMessage, payload: [UInt8]) async -> String? {
        let environment = ProcessInfo.processInfo.environment
            .merging(Self.fields(of: message, payload: payload)) { _, new in new }
        let end = await ShellCommand(text: command, environment: environment).run()
        return end == .exited(0) ? nil : "the command for \(message.topic.rawValue) \(end)"
    }

    /// The environment variables with the message's fields; unknown values are left out.
    static func fields(of message: DaemonMessage, payload: [UInt8]) -> [String: String] {
        var fields = ["FACET_EVENT": message.topic.rawValue]
        switch message {
        case .event(let message): fields["FACET_FACE"] = "\(message.event.face.faceID.rawValue)"
        case .count(let count): fields["FACET_COUNT"] = "\(count)"
        case .detectState(let isOn): fields["FACET_DETECT"] = isOn ? "ON" : "OFF"
        default: break
        }
        if payload.count <= Self.longestJSON { fields["FACET_JSON"] = String(decoding: payload, as: UTF8.self) }
        let object = (try? JSONSerialization.jsonObject(with: Data(message.encoded.payload))) as? [String: Any] ?? [:]
        for (name, value) in object where value is String || value is NSNumber {
            let words = name.replacing(/([a-z])([A-Z])/) { "\($0.output.1)_\($0.output.2)" }.uppercased()
            fields["FACET_\(words)"] = "\(value)"
        }
        return fields
    }
}
