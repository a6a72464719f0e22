/// The source of a command's messages: a broker, or a local session, which analyses a camera or clip in this process.
package final class Subscriber: Sendable {
    /// A message, a change of the connection, or a failure.
    package enum Occurrence: Sendable {
        case message(CameraMessage)
        case connection(ConnectionState)
        case failed(any Error)

        /// The decoded message; nil for any other occurrence and for a message that could not be decoded.
        package var decoded: DaemonMessage? {
            if case .message(let message) = self, case .decoded(let decoded) = message.content { decoded } else { nil }
        }
    }

    /// How long, in seconds, a broker may take to send all retained messages and the first preview picture.
    static let listening = 1.5

    /// The topic bases that are listened to; `+` stands for any level.
    package let patterns: [String]
    /// The broker's host and port, or the name of the local session's source.
    package let address: String

    /// Whether the messages, if any, come from a local session (`--source`) instead of a broker.
    package var isLocal: Bool { connection == nil }
    private var connection: BrokerConnection? { if case .broker(let connection, _) = feed { connection } else { nil } }

    /// The maximum number of queued messages. It is large because a broker sends all its retained messages at once.
    static let capacity = 8192

    private enum Feed {
        case broker(BrokerConnection, topics: Set<Topic>)
        case session(FaceSession, Set<Topic>, MetadataOptions?)
        case nothing
    }

    private let feed: Feed

    /// Makes a subscriber that receives no messages.
    package init() {
        patterns = []
        address = ""
        feed = .nothing
    }

    /// Makes a subscriber to a local session. The session opens a clip at once, but a camera only when it runs. Its
    /// messages on `topics` are like a daemon's. If `metadata` is nil, the metadata has all values of each frame.
    package init(
        source text: String,
        topics: [Topic] = Topic.viewed,
        metadata: MetadataOptions? = nil,
        loops: Bool = false
    ) throws(FaceSessionError) {
        patterns = [BrokerAccess.standardBase]
        address = text.shownSource
        var options = FaceSession.Options()
        options.landmarks = topics.contains(.previewJPEG)
        if options.landmarks { options.frames = .full }
        options.tracking.readsSigns = true
        // Neither a terminal nor a clip needs a higher rate.
        options.maximumFrameRate = 30
        var source = FaceSession.Source(text, pace: .realtime)
        source.options.loops = loops
        feed = .session(try FaceSession(source: source, options: options), Set(topics), metadata)
    }

    /// Connects and subscribes, and keeps trying if the broker is away. Throws `CommandFailure` for wrong options.
    ///
    /// Subscribes to each topic by its full name: some brokers send retained messages only without a wildcard.
    package init(_ options: BrokerAccess, command: String, topics: [Topic], patterns: [String]) throws {
        var settings = try options.settings(command: command)
        settings.incomingCapacity = Self.capacity
        self.patterns = patterns
        address = settings.address
        let silent = Logger(label: "facet") { _ in SwiftLogNoOpLogHandler() }
        let connection = try BrokerConnection(settings: settings, logger: silent)
        // The periodic statistics are the sign of life that tells a running daemon from a stale retained status.
        let wanted = topics.contains(.status) && !topics.contains(.stats) ? topics + [.stats] : topics
        for pattern in patterns {
            for topic in wanted { try connection.subscribe(topic.name(under: pattern)) }
        }
        try connection.start()
        feed = .broker(connection, topics: Set(topics))
    }

    /// The topic base of the camera, for a command about one camera: the first of `patterns`.
    package var base: String { patterns.first ?? BrokerAccess.standardBase }

    /// Passes each occurrence to `receive`, until the subscriber is stopped or the session ends.
    func forward(to receive: @escaping @Sendable (Occurrence) -> Void) async {
        switch feed {
        case .broker(let connection, let topics):
            var recent = RecentEvents()
            let signs = Monitor(LifeSigns())
            async let _: Void = {
                while (try? await Task.sleep(for: .seconds(1))) != nil {
                    for message in signs.update({ $0.vanished() }) { receive(.message(message)) }
                }
            }()
            for await occurrence in connection.occurrences {
                switch occurrence {
                case .connection(let state):
                    signs.update { $0 = LifeSigns() }
                    receive(.connection(state))
                case .message(let message):
                    guard let message = CameraMessage(message), !recent.isRepeated(message) else { continue }
                    if let back = signs.update({ $0.take(message) }) { receive(.message(back)) }
                    if topics.contains(message.topic) { receive(.message(message)) }
                }
            }
        case .session(let session, let topics, let metadata):
            let messages = Monitor(UpdateMessages(camera: address, topics: topics, metadata: metadata))
            let hand: @Sendable ((inout UpdateMessages) -> [DaemonMessage]) -> Void = { [base] make in
                for message in messages.update(make) {
                    receive(.message(CameraMessage(base: base, topic: message.topic, content: .decoded(message))))
                }
            }
            hand { $0.begin() }
            async let _: Void = {
                while (try? await Task.sleep(for: .seconds(UpdateMessages.statsInterval))) != nil {
                    hand { $0.messages(of: session.meter.figures()) }
                }
            }()
            do {
                for try await update in session.updates {
                    hand { $0.messages(of: update) }
                    guard let frame = update.frame, topics.contains(.previewJPEG) else { continue }
                    let picture = CameraMessage.Content.picture(PreviewPicture(frame))
                    receive(.message(CameraMessage(base: base, topic: .previewJPEG, content: picture)))
                }
            } catch {
                receive(.failed(error))
            }
        case .nothing: while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
    }

    /// Publishes `text` to the daemon with the topic base `base`, by default that of the only camera.
    package func send(_ command: DaemonMessage, under base: String? = nil) {
        let name = command.topic.name(under: base ?? self.base)
        connection?.publish(event: MQTTMessage(topic: name, payload: command.encoded.payload, qos: .atLeastOnce))
    }

    /// Removes the retained messages of the camera with the topic base `self.base` from the broker, and its device from
    /// Home Assistant, unless that has another prefix than the default one.
    func clear() {
        let device = "homeassistant/device/facet-\(OutboxLocation.identifier(ofTopic: base))/config"
        for name in Topic.allCases.filter(\.isRetained).map({ $0.name(under: base) }) + [device] {
            connection?.publish(state: MQTTMessage(topic: name, payload: [], retain: true))
        }
    }

    /// A phrase that says where cameras are looked for, such as `under faces at localhost:1883`.
    var place: String { "under \(patterns.joined(separator: ", ")) at \(address)" }

    var noDaemon: String {
        "no daemon is online under '\(base)' at \(address); start facetd, or name its base with --topic"
            + Self.hint(about: patterns)
    }

    /// A hint for the user that --topic takes a topic base, if one of the patterns is a whole topic; otherwise empty.
    static func hint(about patterns: [String]) -> String {
        let bases = patterns.lazy.compactMap { name in Topic(name: name).map { (name, $0.base(of: name)) } }
        return bases.first.map { "; \($0) is a topic, and its base is \($1)" } ?? ""
    }

    /// The error that no camera was found.
    package var noCamera: CommandFailure {
        CommandFailure("no camera \(place): start facetd, or name its base with --topic\(Self.hint(about: patterns))")
    }

    /// Disconnects from the broker after sending what was published, or stops the local session.
    package func stop() async {
        switch feed {
        case .broker(let connection, _): _ = await connection.stop()
        case .session(let session, _, _): session.stop()
        case .nothing: break
        }
    }

    /// The number of received messages that were dropped because the queue was full.
    package var dropped: Int { connection?.counters.dropped[.incomingOverflow] ?? 0 }
}

extension Topic {
    /// The topics to which a command subscribes if it shows faces but no pictures.
    package static let followed: [Topic] = [.status, .metadata, .today] + events
    /// The topics to which a command subscribes if it shows both faces and pictures.
    package static let viewed: [Topic] = [.status, .detectState, .metadata, .zones] + events + [.previewJPEG]
}

/// Recognises events that were received before: a daemon sends an event again if its acknowledgement was lost.
struct RecentEvents {
    /// The number of events to remember. A daemon has far fewer in flight before it waits for acknowledgements.
    private static let capacity = 1000

    private var known: Set<String> = []
    private var order: [String] = []

    /// Whether a message is an event that was received before.
    mutating func isRepeated(_ message: CameraMessage) -> Bool {
        guard case .decoded(.event(let event)) = message.content, !event.id.isEmpty else { return false }
        let id = message.base + "/" + event.id
        guard known.insert(id).inserted else { return true }
        order.append(id)
        if order.count > Self.capacity { known.remove(order.removeFirst()) }
        return false
    }
}
