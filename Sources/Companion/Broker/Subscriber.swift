/// The source of a command's messages: a broker with daemons, or a session in this program.
package final class Subscriber: Sendable {
    /// Something that happens at the source of messages.
    package enum Occurrence: Sendable {
        /// A message about a camera came.
        case message(CameraMessage)
        case connection(ConnectionState)
        case failed(any Error)

        /// The message that came, if it is one that can be read.
        package var decoded: DaemonMessage? {
            if case .message(let message) = self, case .decoded(let decoded) = message.content { decoded } else { nil }
        }
    }

    /// The seconds in which a broker sends what it has retained, and a preview shows a picture.
    static let listening = 1.5

    /// The beginnings of the daemons' topics; `+` is any level.
    package let patterns: [String]
    /// The broker's host and port, or the name of the session's source.
    package let address: String

    /// Whether the messages, if any, come from a session in this program.
    package var isLocal: Bool { connection == nil }
    private var connection: BrokerConnection? { if case .broker(let connection, _) = feed { connection } else { nil } }

    /// The most messages that wait here before the oldest are dropped: a broker sends all that it has retained at once.
    static let capacity = 8192

    private enum Feed {
        case broker(BrokerConnection, topics: Set<Topic>)
        case session(FaceSession, Set<Topic>, MetadataOptions?)
        case nothing
    }

    private let feed: Feed

    /// Makes a subscriber without messages.
    package init() {
        patterns = []
        address = ""
        feed = .nothing
    }

    /// Opens a clip, or names a camera that is opened when the session runs. Its messages are like a daemon's on these
    /// topics: `metadata` as the options say, without options with all values of each frame's faces.
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
        // A terminal or a clip needs no more frames a second.
        options.maximumFrameRate = 30
        let isEndless = loops && !FaceSession.Source.isCamera(text)
        let source = isEndless ? .file(text, pace: .realtime, loops: true) : FaceSession.Source(text, pace: .realtime)
        feed = .session(try FaceSession(source: source, options: options), Set(topics), metadata)
    }

    /// Connects and subscribes.
    ///
    /// Subscribes to each topic by its full name: some brokers send retained messages only where there is no wildcard.
    /// - Throws: `CommandFailure` if the options can't work; a broker that is away is waited for.
    package init(_ options: BrokerAccess, command: String, topics: [Topic], patterns: [String]) throws {
        var settings = try options.settings(command: command)
        settings.incomingCapacity = Self.capacity
        self.patterns = patterns
        address = settings.address
        let silent = Logger(label: "facet") { _ in SwiftLogNoOpLogHandler() }
        let connection = try BrokerConnection(settings: settings, logger: silent)
        // By its figures a daemon shows that what the broker has kept of it is still so.
        let wanted = topics.contains(.status) && !topics.contains(.stats) ? topics + [.stats] : topics
        for pattern in patterns {
            for topic in wanted { try connection.subscribe(topic.name(under: pattern)) }
        }
        try connection.start()
        feed = .broker(connection, topics: Set(topics))
    }

    /// The beginning of the topics of the one daemon.
    package var base: String { patterns.first ?? BrokerAccess.standardBase }

    /// Hands all occurrences to one receiver, until `stop` or the session's end.
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

    /// Publishes a command to a daemon; to the only one if no base is given.
    package func send(_ text: String, on topic: Topic, under base: String? = nil) {
        let name = topic.name(under: base ?? self.base)
        connection?.publish(event: MQTTMessage(topic: name, text: text, qos: .atLeastOnce))
    }

    /// Removes the retained messages of the one camera from the broker.
    func clear() {
        for topic in Topic.allCases where topic.isRetained {
            connection?.publish(state: MQTTMessage(topic: topic.name(under: base), payload: [], retain: true))
        }
    }

    /// The place where cameras are looked for, in words.
    var place: String { "under \(patterns.joined(separator: ", ")) at \(address)" }

    /// The words for a daemon that does not run.
    var noDaemon: String {
        "no daemon is online under '\(base)' at \(address); start facetd, or name its base with --topic"
            + Self.hint(about: patterns)
    }

    /// A hint that --topic takes a base, if one of the patterns looks like a topic.
    static func hint(about patterns: [String]) -> String {
        let bases = patterns.lazy.compactMap { name in Topic(name: name).map { (name, $0.base(of: name)) } }
        return bases.first.map { "; \($0) is a topic, and its base is \($1)" } ?? ""
    }

    /// The error that no camera was heard of.
    package var noCamera: CommandFailure {
        CommandFailure("no camera \(place): start facetd, or name its base with --topic\(Self.hint(about: patterns))")
    }

    /// Disconnects, once what was published has gone out.
    package func stop() async {
        switch feed {
        case .broker(let connection, _): _ = await connection.stop()
        case .session(let session, _, _): session.stop()
        case .nothing: break
        }
    }

    /// The number of messages that were dropped before they were handed out.
    package var dropped: Int { connection?.counters.dropped[.incomingOverflow] ?? 0 }
}

extension Topic {
    /// The topics of a command that shows faces without pictures.
    package static let followed: [Topic] = [.status, .metadata, .today] + events
    /// The topics of a command that shows faces and pictures.
    package static let viewed: [Topic] = [.status, .detectState, .metadata, .zones] + events + [.previewJPEG]
}

/// The newest events, by which a repetition is recognised: an event is sent again if its acknowledgement was lost.
struct RecentEvents {
    /// The number of events that are remembered, far above what a daemon sends before it waits for acknowledgements.
    private static let capacity = 1000

    private var known: Set<String> = []
    private var order: [String] = []

    /// Whether a message is an event that came before.
    mutating func isRepeated(_ message: CameraMessage) -> Bool {
        guard case .decoded(.event(let event)) = message.content, !event.id.isEmpty else { return false }
        let id = message.base + "/" + event.id
        guard known.insert(id).inserted else { return true }
        order.append(id)
        if order.count > Self.capacity { known.remove(order.removeFirst()) }
        return false
    }
}
