package import FaceMessages
package import FacetKit
import Logging
package import MQTT
import System

/// Where a command's messages come from: a broker with daemons, or a session in this program.
package final class Subscriber: Sendable {
    /// Something that happens there.
    package enum Occurrence: Sendable {
        /// A message about a camera came.
        case message(CameraMessage)
        case connection(ConnectionState)
        case failed(any Error)
    }

    /// Seconds in which a broker sends what it has retained, and a preview shows a picture.
    static let listening = 1.5

    /// What the daemons' topics begin with; + stands for any level.
    package let patterns: [String]

    /// The broker's host and port, or the name of the session's source.
    package let address: String

    /// Whether the messages, if any, come from a session in this program.
    package var isLocal: Bool {
        if case .broker = feed { false } else { true }
    }

    /// How many messages wait for us before the oldest are dropped.
    package let capacity: Int

    private enum Feed {
        case broker(BrokerConnection)
        case session(FaceSession)
        case nothing
    }

    private let feed: Feed

    /// No messages.
    package init() { (patterns, address, capacity, feed) = ([], "", 1, .nothing) }

    /// Opens a clip, or names a camera that is opened when the session runs. What the session in this program sees is taken as
    /// what a daemon publishes.
    package init(source text: String, loops: Bool = false) throws(FaceSessionError) {
        (patterns, address, capacity) = ([BrokerAccess.standardBase], text.withoutPasswords, 64)
        var options = FaceSession.Options()
        options.frames = .full
        (options.landmarks, options.tracking.readsSigns) = (true, true)
        // As a terminal or a clip needs them.
        options.maximumFrameRate = 30
        let isEndless = loops && !FaceSession.Source.isCamera(text)
        let source = isEndless ? .file(text, pace: .realtime, loops: true) : FaceSession.Source(text, pace: .realtime)
        feed = .session(try FaceSession(source: source, options: options))
    }

    /// Connects and subscribes.
    ///
    /// Subscribes to each topic by its full name under each pattern: there are brokers that send a retained message only
    /// to a subscription without a wildcard.
    ///
    /// - Throws: `CommandFailure` if the options can't work; a broker that is away is waited for.
    package init(
        _ options: BrokerAccess,
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
    package var base: String { patterns.first ?? BrokerAccess.standardBase }

    /// Hands everything that happens to one receiver, until `stop` or the session's end.
    func forward(to receive: @escaping @Sendable (Occurrence) -> Void) async {
        switch feed {
        case .broker(let connection):
            async let _: Void = { for await state in connection.states { receive(.connection(state)) } }()
            var recent = RecentEvents()
            for await message in connection.incoming {
                guard let message = CameraMessage(message), !recent.isRepeated(message) else { continue }
                receive(.message(message))
            }
        // With the messages the states end too: a task that is not awaited is cancelled.
        case .session(let session): await session.forward(as: address, base: base, to: receive)
        case .nothing: while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
    }

    /// Publishes a command to a daemon; to the one daemon if no base is named.
    package func send(_ text: String, on topic: Topic, under base: String? = nil) {
        guard case .broker(let connection) = feed else { return }
        connection.publish(
            event: MQTTMessage(topic: topic.name(under: base ?? self.base), text: text, qos: .atLeastOnce)
        )
    }

    /// That the one daemon does not run.
    var noDaemon: String {
        "no daemon is online under '\(base)' at \(address); start facetd, or name its base with --topic"
    }

    /// That no camera was heard of.
    package var noCamera: CommandFailure {
        CommandFailure(
            "no camera under \(patterns.joined(separator: ", ")) at \(address): start facetd, or name its base with --topic"
        )
    }

    /// Says goodbye to the broker, once what was published has gone out.
    package func stop() async {
        switch feed {
        case .broker(let connection): _ = await connection.stop()
        case .session(let session): session.stop()
        case .nothing: break
        }
    }

    /// How many messages were dropped before they were handed out.
    package var dropped: Int {
        guard case .broker(let connection) = feed else { return 0 }
        return connection.counters.dropped[.incomingOverflow, default: 0]
    }
}

extension Topic {
    /// What a command that shows faces without pictures listens to.
    package static let followed: [Topic] = [.status, .metadata, .today] + events

    /// What a command that shows faces and pictures listens to.
    package static let viewed: [Topic] = [.status, .detectState, .metadata, .zones] + events + [.previewJPEG]
}
