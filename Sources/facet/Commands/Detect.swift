import ArgumentParser
import FaceMessages

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
        let subscriber = try await broker.subscriber("detect", [.status, .detectState], all: false)
        let (wanted, words) = (wish == .on, wish.rawValue)
        var (state, trouble, hasSent) = (CameraState(), String?.none, false)
        try await subscriber.follow(every: .milliseconds(100), interruptible: false) { input in
            guard case .occurrence(let occurrence) = input.content else {
                guard input.seconds > Self.patience else { return true }
                throw CommandFailure(trouble.map { "no connection: \($0)" } ?? Self.failureReason(state, subscriber))
            }
            if case .connection(let connection) = occurrence { trouble = connection.trouble }
            state.take(occurrence)
            guard state.status?.state == .online, let isOn = state.isDetecting else { return true }
            if isOn == wanted {
                StandardOutput.print(line: "detection is \(hasSent ? words : "already " + words)")
            } else if !hasSent {
                subscriber.send(wanted ? "ON" : "OFF", on: .detectSet)
                hasSent = true
            }
            return isOn != wanted
        }
    }

    /// Why detection is not as it is wanted.
    private static func failureReason(_ state: CameraState, _ subscriber: Subscriber) -> String {
        state.status?.state == .online
            ? "the daemon under '\(subscriber.base)' did not confirm the change on \(subscriber.base)/detect/state"
            : subscriber.noDaemon
    }
}
