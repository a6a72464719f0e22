import FaceMessages
import FaceMetadata
import MQTT
import OverlayRendering

/// Waits for preview pictures and the metadata of their frames, and knows what to say when none come.
struct LivePictures {
    /// Seconds until a command gives up waiting for a first picture.
    static let patience = 10.0

    /// Seconds until it is clear that no daemon is there: its status is retained, the broker sends it at once.
    private static let statusPatience = 3.0

    /// Seconds after which the person at the terminal learns what the command waits for.
    private static let hintPatience = 2.0

    /// What the daemon published so far.
    private(set) var model = LiveModel()

    private let base: String
    private let address: String
    private let start = ContinuousClock.now
    private var hasPicture = false
    private var hasHinted = false
    private var failure: String?
    private var wasConnected = false

    /// When the last input came, in seconds since the wait began.
    private(set) var seconds = 0.0

    /// Makes a wait that begins now.
    init(_ subscriber: Subscriber) {
        base = subscriber.base
        address = subscriber.address
    }

    /// Takes what happened.
    ///
    /// - Throws: `CommandFailure` if only a person can fix the connection, or nothing came for too long.
    mutating func take(_ input: LiveInput) throws -> LiveModel.Change? {
        // The time of an input is that of its coming, however long it had to wait for us.
        seconds = start.duration(to: input.arrival) / .seconds(1)
        switch input.content {
        case .occurrence(let occurrence):
            if case .connection(let state) = occurrence { try note(state) }
            let news = model.take(occurrence, at: seconds)
            if case .picture = news { hasPicture = true }
            return news
        case .tick:
            model.advance(to: seconds)
            let isAlone = wasConnected && failure == nil && model.status?.status.state != .online
            let patience = isAlone ? Self.statusPatience : Self.patience
            if !hasPicture, seconds > patience { throw CommandFailure(whyNothingCame(within: patience)) }
        case .key, .interrupted: break
        }
        return nil
    }

    /// What to say to the person at the terminal while no picture comes, once; nil if nothing.
    mutating func hint() -> String? {
        guard !hasPicture, !hasHinted, seconds > Self.hintPatience, wasConnected, failure == nil,
            let status = model.status?.status, status.state == .online
        else { return nil }
        hasHinted = true
        guard status.cameraState == .streaming else {
            let state = status.cameraState?.rawValue ?? "in an unknown state"
            return "waiting for pictures: the daemon's camera is \(state)"
        }
        return "waiting for pictures: the daemon streams, and publishes none unless preview.enabled is set there"
    }

    /// The newest picture that can be drawn, with the faces of its frame; nil if there is no further one.
    mutating func next() -> (picture: PreviewPicture, scene: Scene)? {
        model.nextPicture(at: seconds).map { ($0, model.scene(of: $0)) }
    }

    private mutating func note(_ state: ConnectionState) throws {
        switch state {
        case .refused(let reason), .takenOver(let reason):
            throw CommandFailure("cannot use the broker: \(reason)")
        case .disconnected(let reason):
            // A broker that was there comes back; one that never was is a wrong address or not started.
            guard wasConnected else { throw CommandFailure("cannot reach the broker: \(reason)") }
            failure = reason
        case .connected: (failure, wasConnected) = (nil, true)
        case .connecting, .stopped: failure = nil
        }
    }

    private func whyNothingCame(within patience: Double) -> String {
        let topic = Topic.previewJPEG.name(under: base)
        let wait = "no picture came on \(topic) at \(address) within \(Int(patience)) s"
        if let failure { return "\(wait): \(failure)" }
        guard let status = model.status?.status, status.state == .online else {
            return "\(wait): no daemon is online under '\(base)'; start facetd, or name its base with --topic"
        }
        guard status.cameraState == .streaming else {
            return "\(wait): the daemon's camera is \(status.cameraState?.rawValue ?? "in an unknown state")"
                + (status.detail.map { " (\($0))" } ?? "")
        }
        return "\(wait): no pixel leaves the daemon unless its owner sets preview.enabled to true"
    }
}
