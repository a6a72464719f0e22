/// What the person at the terminal learns about the source of messages: each trouble once.
struct Notices {
    /// Topics whose messages were reported as unreadable; all others are passed over from then on.
    private static let capacity = 64
    /// The broker's host and port.
    let address: String
    /// Whether a broker that cannot be reached is waited for, as one that was reached once always is.
    private(set) var waitsForBroker: Bool
    private(set) var hasTrouble = false
    private(set) var unreadable: Set<String> = []
    /// Whether it is said how cameras are.
    var tellsOfCameras = true
    /// Whether a session in this program is the source, whose end is the command's.
    var isLocal = false
    /// How each camera is, as far as it was said or goes without saying, by the bases of their topics.
    private(set) var conditions: [String: CameraState.Condition] = [:]

    /// The topics without which the command waits in vain, and whether it hears of several cameras.
    var awaited: [Topic] = []
    var isPlural = false
    /// Whether a camera publishes any of them, and what was said of those that do not.
    private(set) var isServed = false
    private(set) var lacking: [String: String] = [:]

    /// Seconds from the connection until silence is reported; what a broker has retained comes at once.
    static let patience = 3.5
    /// What to say if no daemon is heard of; nil for nothing.
    private(set) var silence: String?
    private(set) var connected: Double?
    /// How the connection is, for a screen that always shows it.
    private(set) lazy var connection = "connecting to \(address)"

    /// What to say about an occurrence; nil if nothing. Throws `CommandFailure` if no retry helps.
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

    /// What to say about a daemon and its camera, whatever topics are shown: a loss and the return, each once.
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

    /// What to say, once, if a daemon does not publish what is awaited; throws it if no other daemon can.
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

    /// What to say, once, if no daemon was heard of; nil if nothing. Throws it if no daemon publishes what is awaited.
    mutating func silence(at seconds: Double) throws -> String? {
        guard let connected, seconds - connected >= Self.patience else { return nil }
        if !isServed, let words = lacking.min(by: { $0.key < $1.key })?.value { throw CommandFailure(words) }
        defer { silence = nil }
        return silence
    }
}

extension [Topic] {
    /// The topics, and what makes a daemon publish them.
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

    /// Why no faces come, as a sentence; nil if they may.
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
