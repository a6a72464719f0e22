/// Makes messages to the user about problems of the broker, daemons and cameras. Each problem is reported once.
struct Notices {
    /// The maximum number of topics with malformed messages to report, and of cameras to remember.
    private static let capacity = 64
    let address: String
    /// Whether to keep trying if the broker cannot be reached at first. Always true once a connection was made.
    private(set) var waitsForBroker: Bool
    private(set) var hasTrouble = false
    private(set) var unreadable: Set<String> = []
    /// Whether to report conditions of cameras.
    var tellsOfCameras = true
    /// Whether the source is a local session (`--source`). The command ends when the session does.
    var isLocal = false
    /// The last known condition of each camera, by topic base.
    private(set) var conditions: [String: CameraState.Condition] = [:]

    /// The topics that the command needs.
    var awaited: [Topic] = []
    var isPlural = false
    /// Whether a camera publishes any of the awaited topics.
    private(set) var isServed = false
    /// The messages about cameras that do not publish all awaited topics, by topic base.
    private(set) var lacking: [String: String] = [:]

    /// How long to wait, in seconds, before reporting that messages are missing. Retained ones come at once.
    static let patience = 3.5
    /// The message to the user if no daemon is found; nil if it was shown or is not needed.
    private(set) var silence: String?
    private(set) var connected: Double?
    /// The state of the connection, for a screen that always shows it.
    private(set) lazy var connection = "connecting to \(address)"

    /// Returns the message to the user on an occurrence; nil if there is none. Throws if trying again cannot help.
    mutating func note(_ occurrence: Subscriber.Occurrence, at seconds: Double) throws -> String? {
        switch occurrence {
        case .connection(.connecting), .connection(.stopped): return nil
        case .connection(.connected):
            defer { hasTrouble = false }
            connection = address
            connected = seconds
            waitsForBroker = true
            return hasTrouble ? "connected to \(address) again" : nil
        case .connection(.disconnected(let reason)):
            guard waitsForBroker else {
                throw CommandFailure("cannot reach the broker: \(reason)", remedy: "name another with --mqtt")
            }
            hasTrouble = true
            connected = nil
            connection = "no connection, trying again: \(reason)"
            return connection
        case .connection(.refused(let reason)), .connection(.takenOver(let reason)):
            throw CommandFailure("cannot use the broker: \(reason)")
        case .failed(let failure): throw failure
        case .message(let message):
            if case .decoded(let decoded) = message.content, case .status = decoded {
                var state = CameraState()
                _ = state.take(decoded)
                let parts = [try lack(state, of: message.base), note(state, of: message)].compactMap(\.self)
                return parts.isEmpty ? nil : parts.joined(separator: "; ")
            }
            silence = nil
            let name = message.topic.name(under: message.base)
            guard case .malformed(let error) = message.content, unreadable.count < Self.capacity,
                unreadable.insert(name).inserted
            else { return nil }
            connection = "\(name): \(error) (said once for each topic)"
            return connection
        }
    }

    /// Returns the message to the user that a camera or its daemon is lost or has come back; nil if neither is news.
    private mutating func note(_ state: CameraState, of message: CameraMessage) -> String? {
        let base = message.base
        let old = conditions[base]
        let new = state.condition
        let isOnline = state.status?.state == .online
        if isOnline { silence = nil }
        guard tellsOfCameras, new != old, old != nil || conditions.count < Self.capacity else { return nil }
        let name = state.name(under: base)
        if new == .streaming {
            conditions[base] = new
            return old == nil ? nil : "\(name): the camera is back"
        }
        guard let trouble = state.trouble, isOnline || !isLocal else { return nil }
        conditions[base] = new
        let words = "\(name): \(trouble)"
        guard !isOnline, message.isRetained, old == nil else { return words }
        // The daemon ended before this command began, which matters only if no other daemon runs.
        if silence != nil { silence = words }
        return nil
    }

    /// Reports once per camera which awaited topics it does not publish. Throws if the only camera publishes none.
    private mutating func lack(_ state: CameraState, of base: String) throws(CommandFailure) -> String? {
        guard !awaited.isEmpty, let status = state.status, status.state == .online else { return nil }
        let missing = awaited.filter { topic in
            (topic == .previewJPEG || Topic.selectable.contains(topic)) && status.publish?.contains(topic) == false
        }
        isServed = isServed || missing.count < awaited.count
        guard !missing.isEmpty, lacking[base] == nil, lacking.count < Self.capacity else { return nil }
        let words = "'\(state.name(under: base))' does not publish \(missing.remedy)"
        lacking[base] = words
        if !isServed, !isPlural { throw CommandFailure(words) }
        return isServed || missing.count < awaited.count ? words : nil
    }

    /// Returns, once, the message that no daemon is found. Throws an error if no daemon publishes an awaited topic.
    mutating func silence(at seconds: Double) throws -> String? {
        guard let connected, seconds - connected >= Self.patience else { return nil }
        if !isServed, let words = lacking.min(by: { $0.key < $1.key })?.value { throw CommandFailure(words) }
        defer { silence = nil }
        return silence
    }
}

extension [Topic] {
    /// The names of the topics, and the setting that makes a daemon publish them.
    fileprivate var remedy: String {
        let names = map(\.rawValue).joined(separator: ", ")
        if contains(.previewJPEG) {
            return "\(names): no pixel leaves the daemon unless its owner sets preview.enabled to true"
        }
        let areas = contains { [.zones, .zoneEnter, .zoneLeave].contains($0) }
        return "\(names): add \(count == 1 ? "it" : "them") to publish"
            + (areas ? ", and draw zones with `facet zones`" : "")
    }
}

extension CameraState {
    fileprivate func name(under base: String) -> String { (name?.isEmpty == false ? name : nil) ?? base }

    /// Why no faces come from the camera, as a sentence; nil if they may come.
    fileprivate var trouble: String? {
        switch condition {
        case .lost: "the camera is lost: \(status?.detail ?? "no reason is given")"
        case .disabled: "detection is off; `facet detect on` switches it on"
        case .stopped: "the daemon has ended; start facetd again"
        case .offline: "the daemon is gone: it was killed, or cut off from the network"
        case .gone: "the daemon is gone: \(status?.detail ?? "no sign of life"); look whether it and its machine run"
        case .starting, .streaming, .unknown: nil
        }
    }
}
