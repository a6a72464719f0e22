import ArgumentParser
import FaceMessages
import MQTT
import SettingsFiles
import System

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows events as they come, and the faces that are there.",
        discussion: """
            One line an event, in colours on a terminal (not with NO_COLOR set), and there the faces in a last line that \
            follows them. With -v each metadata message is a line too. With --json all of it as `facetd --print` writes \
            it, which is also what --metadata of the other commands reads. Without a topic: all events, status, \
            detect/state and metadata. Ends with Ctrl-C.

            The command of --exec finds the event's fields in FACET_EVENT, FACET_FACE, FACET_CAMERA, \
            FACET_MEDIA_TIME, FACET_YAW, FACET_DURATION and so on, one for each number and text of its payload, and all of it \
            in FACET_JSON unless that is longer than 128 KiB, which no daemon sends. Commands run one after the other.

            --post sends each event as CloudEvents 1.0 (structured JSON) over one kept connection, and again with the same id \
            until the server accepts it (2xx) or refuses it for good; up to 1000 events wait for it. With --secret-file each \
            request has a header X-Facet-Signature-256: sha256= and the HMAC of its body.

            Examples:
              facet watch
              facet watch --mqtt mqtts://me@broker.example --topic porch/faces smile blink
              facet watch --topic 'site1/+/faces'
              facet watch --json | jq -c 'select(.topic == "faces/smile").payload'
              facet watch --only smile --exec 'curl -s http://lamp.local/on'
              facet watch --only smile,leave --post https://hooks.example --secret-file key
              facet watch --only smile --count 1 && echo smiled
            """
    )

    /// Seconds that requests get at the end.
    private static let patience = 5.0

    private static let eventNames = Topic.events.map(\.rawValue).joined(separator: ", ")

    @Argument(help: "Topics under the base: metadata, \(Self.eventNames), count, status, stats, …")
    var topics: [String] = []

    @Flag(help: "Write each message as one line of JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Show each metadata message in a line of its own.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Only these kinds of events, separated by commas: \(Self.eventNames).",
            valueName: "kinds"
        )
    )
    var only: String?

    @Option(help: ArgumentHelp("Run this shell command for each event.", valueName: "command"))
    var exec: String?

    @Option(help: ArgumentHelp("Send each event to this web address, as CloudEvents in JSON.", valueName: "url"))
    var post: String?

    @Option(
        help: ArgumentHelp("A file with the key that the requests of --post are signed with.", valueName: "file"),
        completion: .file()
    )
    var secretFile: String?

    @Option(help: ArgumentHelp("End after that many messages.", valueName: "number"))
    var count: Int?

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        _ = try chosenTopics()
        if post == nil, secretFile != nil {
            throw ValidationError("--secret-file signs the requests of --post: give that too")
        }
        if let count, count < 1 { throw ValidationError("--count must be 1 or more, not \(count)") }
    }

    func run() async throws {
        let topics = try chosenTopics()
        let client = try post.map { try EventPost(to: $0, secret: secret()) }
        let patterns = try await broker.bases(command: "watch")
        let subscriber = try Subscriber(broker, command: "watch", topics: topics, patterns: patterns)
        if StandardOutput.isTerminal, !json {
            StandardOutput.note("watching \(patterns.joined(separator: ", ")) at \(subscriber.address), Ctrl-C ends")
        }
        var printer = WatchPrinter(
            WatchPrinter.Style(
                isJSON: json,
                showsMetadata: verbose || self.topics.contains(Topic.metadata.rawValue),
                isTerminal: StandardOutput.isTerminal,
                namesCamera: BrokerOptions.isPlural(broker.topic)
            )
        )
        var queues: [EventQueue] = []
        if let exec {
            let command = EventCommand(command: exec)
            let queue = EventQueue(capacity: 100, "the command is too slow: no command") {
                await command.run($0, payload: $1)
            }
            queues.append(queue)
        }
        if let client {
            let failure = "the server is too slow: no request"
            let queue = EventQueue(capacity: 1000, patience: Self.patience, failure) { event, _ in
                await client.send(event)
            }
            queues.append(queue)
        }
        var notices = Notices(address: subscriber.address)
        var drops = DropNotices()
        try await LiveInputs.follow(subscriber) { input, inputs in
            switch input.content {
            case .occurrence(.message(let message)):
                guard case .event(let event) = printer.show(message) else { break }
                for queue in queues { queue.add(event, payload: message.payload) }
            case .occurrence(let occurrence):
                if case .connection(let state) = occurrence { printer.take(state) }
                if let note = try notices.note(occurrence) { printer.note(note) }
            case .key, .tick, .interrupted: break
            }
            let isOver = count.map { printer.shown >= $0 } ?? false
            if let note = drops.note(inputs.dropped, isOver: isOver || inputs.isEmpty) { printer.note(note) }
            return !isOver
        }
        printer.finish()
        await subscriber.stop()
        for queue in queues { await queue.finish() }
    }

    private func secret() throws -> [UInt8]? {
        guard let secretFile else { return nil }
        do {
            let line = try SmallFile.text(at: secretFile).prefix { !$0.isNewline }
            guard line.utf8.count >= 16 else {
                throw CommandFailure("the key in \(secretFile) is shorter than 16 characters")
            }
            return Array(line.utf8)
        } catch let error as FileError {
            throw CommandFailure("cannot read the key in \(error)")
        }
    }

    private func chosenTopics() throws -> [Topic] {
        if let only { return try Self.kinds(only) + (topics.isEmpty ? [] : namedTopics().filter { !$0.isEvent }) }
        if !topics.isEmpty { return try namedTopics() }
        return [.status, .detectState, .metadata] + Topic.events
    }

    private func namedTopics() throws -> [Topic] {
        try topics.map { name in
            let prefix = broker.topic.map { $0 + "/" }.first { name.hasPrefix($0) } ?? "faces/"
            let short = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
            return try Self.topic(short, among: Topic.allCases, "there is no topic '\(name)'; ", "The topics are")
        }
    }

    private static func kinds(_ list: String) throws -> [Topic] {
        try list.split(separator: ",", omittingEmptySubsequences: false).map { name in
            try topic(String(name), among: Topic.events, "'\(name)' in --only is no event; ", "The events are")
        }
    }

    private static func topic(_ name: String, among topics: [Topic], _ refusal: String, _ beginning: String) throws
        -> Topic
    {
        if let topic = topics.first(where: { $0.rawValue == name }) { return topic }
        let names = topics.map(\.rawValue)
        let hint = likelyName(for: name, among: names).map { "did you mean '\($0)'? " } ?? ""
        throw ValidationError("\(refusal)\(hint)\(beginning) \(names.joined(separator: ", "))")
    }
}
