/// Tells the person at the terminal about troubles of the source of messages, each once.
struct Notices {
    /// The most topics whose unreadable messages are reported; further ones are passed over.
    private static let capacity = 64
    /// The broker's host and port.
    let address: String
    /// Whether to wait for a broker that cannot be reached at first; one that was reached once is always waited for.
    private(set) var waitsForBroker: Bool
    private(set) var hasTrouble = false
    private(set) var unreadable: Set<String> = []
    /// Whether the conditions of cameras are reported.
    var tellsOfCameras = true
    /// Whether a session in this program is the source, at whose end the command ends.
    var isLocal = false
    /// The condition of each camera that the user knows, by the base of its topics.
    private(set) var conditions: [String: CameraState.Condition] = [:]

    /// The topics without which the command waits in vain, and whether it is about several cameras.
    var awaited: [Topic] = []
    var isPlural = false
    /// Whether a camera publishes any of these topics, and the notes about those that do not.
    private(set) var isServed = false
    private(set) var lacking: [String: String] = [:]

    /// The seconds from the connection until silence is reported; retained messages come at once.
    static let patience = 3.5
    /// The message for the user if no daemon is heard of; nil for none.
    private(set) var silence: String?
    private(set) var connected: Double?
    /// The state of the connection, for a screen that always shows it.
    private(set) lazy var connection = "connecting to \(address)"

    /// The message for the user about an occurrence; nil if there is none. Throws `CommandFailure` if no retry helps.
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

    /// Message for the user about a daemon and its camera, whatever topics are shown: a loss and the return, each once.
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
        // It has ended before this command began: that matters where no other daemon runs.
        if silence != nil { silence = words }
        return nil
    }

    /// Message for the user, once, if a daemon does not publish the awaited topics; throws it if no other daemon can.
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

    /// The message for the user, once, if no daemon was heard of; throws it if none publishes the awaited topics.
    mutating func silence(at seconds: Double) throws -> String? {
        guard let connected, seconds - connected >= Self.patience else { return nil }
        if !isServed, let words = lacking.min(by: { $0.key < $1.key })?.value { throw CommandFailure(words) }
        defer { silence = nil }
        return silence
    }
}

extension [Topic] {
    /// The awaited topics, and the setting that makes a daemon publish them.
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

    /// The reason why no faces come, as a sentence; nil if they may.
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
