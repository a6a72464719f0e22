/// Combines pictures with the metadata of their frames. If no picture comes, ends the command with the reason.
package struct LivePictures {
    /// How long a command waits for the first picture, in seconds.
    package static let patience = 10.0
    /// How long to wait for the status of a daemon, in seconds. The broker sends it at once, because it is retained.
    private static let statusPatience = 3.0
    package private(set) var model = LiveModel()
    /// The time of the last input, in seconds since the command began to listen.
    package private(set) var seconds = 0.0
    private let subscriber: Subscriber
    private var hasPicture = false

    init(_ subscriber: Subscriber, hidesFaces: Bool) {
        self.subscriber = subscriber
        model.hidesFaces = hidesFaces
    }

    /// Updates `model` with a message, a change of the connection or the time. Returns what changed in the camera's
    /// state and pictures. Throws `CommandFailure` if no first picture came in time.
    package mutating func take(_ input: LiveInput) throws -> CameraState.Change {
        seconds = input.seconds
        guard case .occurrence(let occurrence) = input.content else {
            model.advance(to: seconds)
            let isAlone = model.connection.isConnected && model.state.status?.state != .online
            let patience = isAlone ? Self.statusPatience : Self.patience
            // It is known when a local session ends, and a busy machine may need long for its first picture.
            let isComing = subscriber.isLocal && model.state.condition == .streaming
            if !hasPicture, !isComing, seconds > patience { throw CommandFailure(failureReason(within: patience)) }
            return []
        }
        let change = model.take(occurrence, at: seconds)
        let isUseful = model.picture.map { !model.hidesFaces || model.knowsFaces(of: $0) } ?? false
        hasPicture = hasPicture || isUseful
        return change
    }

    /// The next picture to draw, with the faces in its frame; nil if none is ready.
    package mutating func next() -> (picture: PreviewPicture, scene: Scene)? {
        model.nextPicture(at: seconds).map { ($0, model.scene(of: $0)) }
    }

    /// Calls `take` for each input until `take` returns false or the source ends. The user is told if no daemon
    /// publishes the topic `awaited`, by default that of preview pictures.
    package static func follow(
        _ subscriber: Subscriber,
        hidesFaces: Bool,
        interruptible: Bool = true,
        until interruption: Interruption? = nil,
        awaiting awaited: Topic? = nil,
        _ take: (inout LivePictures, CameraState.Change) throws -> Bool
    ) async throws {
        var pictures = LivePictures(subscriber, hidesFaces: hidesFaces)
        try await subscriber.follow(
            every: .milliseconds(50),
            interruptible: interruptible,
            until: interruption,
            waitsForBroker: false,
            awaiting: subscriber.isLocal ? [] : [awaited ?? .previewJPEG]
        ) { input in
            try take(&pictures, try pictures.take(input))
        }
    }

    /// Calls `show` for each picture, with the faces in its frame and its time of arrival. Returns when the source
    /// ends, the user quits, or `limit` seconds have passed since the first picture.
    package static func show(
        _ subscriber: Subscriber,
        hidesFaces: Bool,
        for limit: Double? = nil,
        until interruption: Interruption? = nil,
        _ show: (Picture, Scene, _ seconds: Double) throws -> Void
    ) async throws {
        let decoder = try PreviewDecoder()
        var start: Double?
        try await follow(subscriber, hidesFaces: hidesFaces, until: interruption) { pictures, _ in
            if let start, let limit, pictures.seconds - start >= limit { return false }
            guard let (picture, scene) = pictures.next() else { return true }
            do {
                try decoder.decode(picture)
            } catch  where start != nil {
                // Damaged later pictures are skipped: the next one comes soon.
                return true
            }
            start = start ?? picture.arrival
            try show(decoder.picture, scene, picture.arrival)
            return true
        }
    }

    private func failureReason(within patience: Double) -> String {
        let address = subscriber.address
        guard !subscriber.isLocal else {
            return "no picture came from \(address) within \(Int(patience)) s: it is \(model.state.summary)"
        }
        let topic = Topic.previewJPEG.name(under: subscriber.base)
        guard model.picture == nil else {
            return "pictures come on \(topic) at \(address), but no metadata says where the faces to be hidden are: "
                + "publish metadata too, over MQTT 5, or choose another overlay"
        }
        let wait = "no picture came on \(topic) at \(address) within \(Int(patience)) s"
        if case .disconnected(let reason) = model.connection { return "\(wait): \(reason)" }
        guard model.state.status?.state == .online else { return "\(wait): \(subscriber.noDaemon)" }
        guard model.state.condition == .streaming else { return "\(wait): the camera is \(model.state.summary)" }
        return "\(wait): no pixel leaves the daemon unless its owner sets preview.enabled to true"
    }
}
