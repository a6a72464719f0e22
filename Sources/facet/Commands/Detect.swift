import ArgumentParser
import FaceMessages
import FaceMetadata
import MQTT

struct Detect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Switches detection on or off; off really closes the camera.",
        discussion: """
            Waits for the daemon to confirm it on detect/state.

            Examples:
              facet detect off
              facet detect on --camera porch
            """
    )

    enum Wish: String, CaseIterable, ExpressibleByArgument {
        case on
        case off
    }

    /// Seconds until the command gives up.
    private static let patience = 10.0

    @Argument(help: "on or off.")
    var wish: Wish

    @OptionGroup var broker: BrokerOptions

    func run() async throws {
        let base = try await CameraChoice.base(broker, command: "detect")
        let topics: [Topic] = [.status, .detectState]
        let subscriber = try Subscriber(broker, command: "detect", topics: topics, patterns: [base])
        var dialogue = DetectDialogue(wanted: wish == .on)
        try await subscriber.follow(every: .milliseconds(100), interruptible: false) { input in
            guard case .occurrence(let occurrence) = input.content else {
                guard input.seconds > Self.patience else { return true }
                throw CommandFailure(dialogue.failureReason(base: subscriber.base, address: subscriber.address))
            }
            switch dialogue.take(occurrence) {
            case .wait: return true
            case .send: subscriber.send(wish == .on ? "ON" : "OFF", on: .detectSet)
            case .done(let words):
                StandardOutput.print(line: words)
                return false
            }
            return true
        }
    }
}

/// What is asked and answered to switch detection.
struct DetectDialogue {
    enum Step: Equatable {
        case wait
        case send
        case done(String)
    }

    let wanted: Bool

    private var state = CameraState()
    private var hasSent = false
    private var failure: String?

    init(wanted: Bool) {
        self.wanted = wanted
    }

    mutating func take(_ occurrence: Subscriber.Occurrence) -> Step {
        if case .connection(let connection) = occurrence { failure = connection.trouble }
        state.take(occurrence)
        guard state.status?.state == .online, let isOn = state.isDetecting else { return .wait }
        let words = wanted ? "on" : "off"
        if isOn == wanted { return .done("detection is \(hasSent ? words : "already " + words)") }
        guard !hasSent else { return .wait }
        hasSent = true
        return .send
    }

    /// Why it has not come to the wished state.
    func failureReason(base: String, address: String) -> String {
        if let failure { return "no connection: \(failure)" }
        switch state.status?.state {
        case nil:
            return
                "no daemon publishes its status on \(base)/status at \(address); start facetd, or name its base with --topic"
        case .stopped, .offline: return "the daemon under '\(base)' at \(address) is not online; start facetd"
        case .online: return "the daemon under '\(base)' did not confirm the change on \(base)/detect/state"
        }
    }
}
