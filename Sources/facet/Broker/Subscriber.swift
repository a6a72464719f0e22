import FaceMessages
import Logging
import MQTT
import OverlayRendering

/// A connection to the broker that listens to daemons.
final class Subscriber: Sendable {
    /// Something that happens on the connection.
    enum Occurrence: Sendable {
        /// A message came, on a topic of the contract.
        case message(Topic, ReceivedMessage)
        /// A message came on a topic that is not of the contract.
        case foreign(ReceivedMessage)
        /// The connection changed.
        case connection(ConnectionState)
    }

    /// Seconds in which a broker sends what it has retained, and a preview shows a picture.
    static let listening = 1.5

    /// What the daemons' topics begin with; + stands for any level.
    let patterns: [String]

    /// The broker's host and port.
    let address: String

    /// How many messages wait for us before the oldest are dropped.
    let capacity: Int

    /// Where messages come from.
    private enum Feed {
        case broker(BrokerConnection)
        case session(LocalSession)
    }

    private let feed: Feed

    /// Takes the messages of a session in this program as those of a daemon.
    init(_ session: LocalSession, topic: String, name: String, capacity: Int) {
        patterns = [topic]
        address = name
        self.capacity = capacity
        feed = .session(session)
    }

    /// Connects and subscribes.
    ///
    /// Subscribes to each topic by its full name under each pattern: there are brokers that send a retained message only
    /// to a subscription without a wildcard.
    ///
    /// - Parameters:
    ///   - options: where the broker is.
    ///   - command: the command's name, which the broker's log shows as part of the client's.
    ///   - topics: what to subscribe to under each base.
    ///   - patterns: what the topics begin with; nil for the one base of the options.
    ///   - capacity: how many messages wait for us before the oldest are dropped.
    /// - Throws: `CommandFailure` if the options can't work; a broker that is away is waited for.
    init(
        _ options: BrokerOptions,
        command: String,
        topics: [Topic],
        patterns: [String]? = nil,
        capacity: Int = 1024
    ) throws {
        var settings = try options.settings(command: command)
        settings.incomingCapacity = capacity
        self.capacity = capacity
        self.patterns = try patterns ?? [options.base()]
        address = settings.address
        let silent = Logger(label: "facet") { _ in SwiftLogNoOpLogHandler() }
        do throws(MQTTError) {
            let connection = try BrokerConnection(settings: settings, logger: silent)
            for pattern in self.patterns {
                for topic in topics { try connection.subscribe(topic.name(under: pattern)) }
            }
            try connection.start()
            feed = .broker(connection)
        } catch {
            throw CommandFailure(error.description)
        }
    }

    /// What the topics of the one daemon begin with.
    var base: String { patterns.first ?? "faces" }

    /// Where the connection stands, for one reader.
    var states: AsyncStream<ConnectionState> {
        switch feed {
        case .broker(let connection): connection.states
        case .session: AsyncStream { $0.finish() }
        }
    }

    /// The messages, for one reader; ends with `stop`.
    var messages: AsyncStream<ReceivedMessage> {
        switch feed {
        case .broker(let connection): return connection.incoming
        case .session(let session):
            let (stream, continuation) = AsyncStream.makeStream(
                of: ReceivedMessage.self,
                bufferingPolicy: .bufferingNewest(capacity)
            )
            let task = Task { [base] in
                for await message in session.messages { continuation.yield(ReceivedMessage(message, base: base)) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
            return stream
        }
    }

    /// What a message is to us.
    func occurrence(_ message: ReceivedMessage) -> Occurrence {
        Topic(name: message.topic).map { .message($0, message) } ?? .foreign(message)
    }

    /// Publishes a command to a daemon; to the one daemon if no base is named.
    func send(_ text: String, on topic: Topic, under base: String? = nil) {
        guard case .broker(let connection) = feed else { return }
        connection.publish(
            event: MQTTMessage(topic: topic.name(under: base ?? self.base), text: text, qos: .atLeastOnce)
        )
    }

    /// Says goodbye to the broker, once what was published has gone out.
    func stop() async {
        switch feed {
        case .broker(let connection): _ = await connection.stop()
        case .session(let session): session.stop()
        }
    }

    /// How many messages were dropped before `messages` handed them out.
    var dropped: Int {
        guard case .broker(let connection) = feed else { return 0 }
        return connection.counters.dropped[.incomingOverflow, default: 0]
    }
}

extension ReceivedMessage {
    fileprivate init(_ message: Message, base: String) {
        self.init(
            topic: message.topic.name(under: base),
            payload: message.payload,
            contentType: message.contentType,
            userProperties: message.userProperties.map { MQTTMessage.UserProperty($0.name, $0.value) }
        )
    }
}

extension ReceivedMessage {
    /// What the topic begins with, given which topic of the contract it is.
    func base(of topic: Topic) -> String { String(self.topic.dropLast(topic.rawValue.count + 1)) }
}

extension Topic {
    /// What a command that shows faces without pictures listens to.
    static let followed: [Topic] = [.status, .metadata] + events

    /// What a command that shows faces and pictures listens to.
    static let viewed: [Topic] = [.status, .detectState, .metadata] + events + [.previewJPEG]
}
