import FaceMessages
import Logging
import MQTT

/// Where a command's messages come from: a broker with daemons, or a session in this program.
final class Subscriber: Sendable {
    /// Something that happens there.
    enum Occurrence: Sendable {
        /// A message about a camera came.
        case message(CameraMessage)
        case connection(ConnectionState)
        case failed(any Error)
    }

    /// Seconds in which a broker sends what it has retained, and a preview shows a picture.
    static let listening = 1.5

    /// What the daemons' topics begin with; + stands for any level.
    let patterns: [String]

    /// The broker's host and port, or the name of the session's source.
    let address: String

    /// Whether the messages come from a session in this program.
    var isLocal: Bool {
        if case .session = feed { true } else { false }
    }

    /// How many messages wait for us before the oldest are dropped.
    let capacity: Int

    private enum Feed {
        case broker(BrokerConnection)
        case session(LocalSession)
    }

    private let feed: Feed

    /// Takes what a session in this program sees as what a daemon publishes under a base.
    init(_ session: LocalSession, base: String) {
        patterns = [base]
        address = session.name
        capacity = 64
        feed = .session(session)
    }

    /// Connects and subscribes.
    ///
    /// Subscribes to each topic by its full name under each pattern: there are brokers that send a retained message only
    /// to a subscription without a wildcard.
    ///
    /// - Throws: `CommandFailure` if the options can't work; a broker that is away is waited for.
    init(
        _ options: BrokerOptions,
        command: String,
        topics: [Topic],
        patterns: [String],
        capacity: Int = 1024,
        largest: Int? = nil
    ) throws {
        var settings = try options.settings(command: command)
        if let largest { settings.maximumIncomingPayload = largest }
        settings.incomingCapacity = capacity
        self.capacity = capacity
        self.patterns = patterns
        address = settings.address
        let silent = Logger(label: "facet") { _ in SwiftLogNoOpLogHandler() }
        let connection = try BrokerConnection(settings: settings, logger: silent)
        for pattern in patterns {
            for topic in topics { try connection.subscribe(topic.name(under: pattern)) }
        }
        try connection.start()
        feed = .broker(connection)
    }

    /// What the topics of the one daemon begin with.
    var base: String { patterns.first ?? BrokerOptions.standardBase }

    /// Hands everything that happens to one receiver, until `stop` or the session's end.
    func forward(to receive: @escaping @Sendable (Occurrence) -> Void) async {
        switch feed {
        case .broker(let connection):
            async let _: Void = { for await state in connection.states { receive(.connection(state)) } }()
            for await message in connection.incoming {
                if let message = CameraMessage(message) { receive(.message(message)) }
            }
        // With the messages the states end too: a task that is not awaited is cancelled.
        case .session(let session): await session.forward(base: base, to: receive)
        }
    }

    /// Publishes a command to a daemon; to the one daemon if no base is named.
    func send(_ text: String, on topic: Topic, under base: String? = nil) {
        guard case .broker(let connection) = feed else { return }
        connection.publish(
            event: MQTTMessage(topic: topic.name(under: base ?? self.base), text: text, qos: .atLeastOnce)
        )
    }

    /// That no camera was heard of.
    var noCamera: CommandFailure {
        CommandFailure(
            "no camera under \(patterns.joined(separator: ", ")) at \(address): start facetd, or name its base with --topic"
        )
    }

    /// Says goodbye to the broker, once what was published has gone out.
    func stop() async {
        switch feed {
        case .broker(let connection): _ = await connection.stop()
        case .session(let session): session.stop()
        }
    }

    /// How many messages were dropped before they were handed out.
    var dropped: Int {
        guard case .broker(let connection) = feed else { return 0 }
        return connection.counters.dropped[.incomingOverflow, default: 0]
    }
}

extension Topic {
    /// What a command that shows faces without pictures listens to.
    static let followed: [Topic] = [.status, .metadata, .today] + events

    /// What a command that shows faces and pictures listens to.
    static let viewed: [Topic] = [.status, .detectState, .metadata, .zones] + events + [.previewJPEG]
}
