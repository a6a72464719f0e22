/// Switches detection on or off in a daemon, and waits until the daemon confirms it.
package enum DetectCommand {
    /// How long to wait for the daemon's confirmation, in seconds.
    private static let patience = 10.0

    /// Switches detection. Returns the message to the user. Throws `CommandFailure` if the daemon does not confirm it.
    package static func send(_ access: BrokerAccess, isOn wanted: Bool) async throws -> String {
        let subscriber = try await access.subscriber("detect", [.status, .detectState], all: false)
        let word = wanted ? "on" : "off"
        var state = CameraState()
        var trouble: String?
        var hasSent = false
        try await subscriber.follow(every: .milliseconds(100), interruptible: false, tellsOfCameras: false) { input in
            guard case .occurrence(let occurrence) = input.content else {
                guard input.seconds > patience else { return true }
                if let trouble { throw CommandFailure("no connection: \(trouble)") }
                guard state.status?.state == .online else { throw CommandFailure(subscriber.noDaemon) }
                let base = subscriber.base
                throw CommandFailure("the daemon under '\(base)' did not confirm the change on \(base)/detect/state")
            }
            if case .connection(let connection) = occurrence { trouble = connection.trouble }
            state.take(occurrence)
            guard state.status?.state == .online, let isOn = state.isDetecting else { return true }
            if isOn != wanted, !hasSent {
                subscriber.send(.detectSet(wanted))
                hasSent = true
            }
            return isOn != wanted
        }
        return "detection is \(hasSent ? word : "already " + word)"
    }
}
