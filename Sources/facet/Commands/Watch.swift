import ArgumentParser
import FaceMessages
import MQTT
import SettingsFiles
import TerminalPictures

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows events as they come, and the faces that are there.",
        discussion: """
            One line an event, in colours on a terminal (not with NO_COLOR set), and there the faces in a last line that \
            follows them. With --faces each metadata message is a line too. With --json all of it as `facetd --print` writes \
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
              facet watch smile --exec 'curl -s http://lamp.local/on'
              facet watch smile leave --post https://hooks.example --secret-file key
              facet watch smile --count 1 && echo smiled
            """
    )

    /// Seconds that requests get at the end.
    private static let patience = 5.0

    private static let eventNames = Topic.events.map(\.rawValue).joined(separator: ", ")

    @Argument(help: "Topics under the base: metadata, \(Self.eventNames), count, status, stats, …")
    var topics: [String] = []

    @Flag(help: "Write each message as one line of JSON.")
    var json = false

    @Flag(help: "Show each metadata message in a line of its own.")
    var faces = false

    @Option(help: .init("Run this shell command for each event.", valueName: "command"))
    var exec: String?

    @Option(help: .init("Send each event to this web address, as CloudEvents in JSON.", valueName: "url"))
    var post: String?

    @Option(file: "A file with the key that the requests of --post are signed with.")
    var secretFile: String?

    @Option(help: .init("End after that many messages.", valueName: "number"))
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
        let key = try secretFile.map { try secret(text(of: $0, "key"), "key in \($0)", atLeast: 16) }
        let client = try post.map { try EventPost(to: $0, secret: key.map { Array($0.utf8) }) }
        let subscriber = try await broker.subscriber("watch", topics)
        if StandardOutput.isTerminal, !json {
            let patterns = subscriber.patterns.joined(separator: ", ")
            StandardOutput.note("watching \(patterns) at \(subscriber.address), Ctrl-C ends")
        }
        var printer = WatchPrinter(
            WatchPrinter.Style(
                isJSON: json,
                showsMetadata: faces || self.topics.contains(Topic.metadata.rawValue),
                namesCamera: BrokerOptions.isPlural(broker.topic)
            )
        )
        let commands = exec.map { exec in
            EventQueue(capacity: 100, "the command is too slow: no command") {
                await EventCommand(command: exec).run($0, payload: $1)
            }
        }
        let requests = client.map { client in
            EventQueue(capacity: 1000, patience: Self.patience, "the server is too slow: no request") { event, _ in
                await client.send(event)
            }
        }
        var queues = [commands, requests].compactMap(\.self)
        var drops = DropNotices()
        try await subscriber.follow(interruptible: false, notes: false) { input in
            if case .occurrence(.message(let message)) = input.content {
                if case .event(let event) = printer.show(message) {
                    for index in queues.indices { queues[index].add(event, payload: message.payload) }
                }
            } else if case .occurrence(.connection(let state)) = input.content {
                printer.take(state)
            }
            if let note = input.note { printer.note(note) }
            let isOver = count.map { printer.shown >= $0 } ?? false
            if let note = drops.note(input.dropped, isOver: isOver || input.isLast) { printer.note(note) }
            return !isOver
        }
        printer.finish()
        for queue in queues { await queue.finish() }
    }

    private func chosenTopics() throws -> [Topic] {
        guard !topics.isEmpty else { return [.status, .detectState, .metadata] + Topic.events }
        return try topics.map { name in
            let prefix = broker.topic.map { $0 + "/" }.first { name.hasPrefix($0) } ?? "faces/"
            let short = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
            if let topic = Topic(rawValue: short) { return topic }
            let names = Topic.allCases.map(\.rawValue)
            let hint = likelyName(for: short, among: names).map { "did you mean '\($0)'? " } ?? ""
            throw ValidationError(
                "there is no topic '\(name)'; \(hint)The topics are \(names.joined(separator: ", "))"
            )
        }
    }
}

/// Writes received messages to standard output, and on a terminal the present faces in a line that stays the last one.
struct WatchPrinter {
    struct Style {
        var isJSON = false
        /// Metadata as lines of their own, and not only in the line of the present faces.
        var showsMetadata = false
        /// Whether the camera is named in each line even where only one is heard of.
        var namesCamera = false
    }

    private let style: Style
    private let formatter = WatchFormatter(hasColors: StandardOutput.hasColors)
    private var table = CameraTable()
    private var hasFacesLine = false

    private var namesCamera: Bool { style.namesCamera || table.cameras.count > 1 }

    private(set) var shown = 0

    init(_ style: Style) { self.style = style }

    /// Writes a message.
    ///
    /// - Returns: the message; nil if it broke the contract or is a picture.
    mutating func show(_ message: CameraMessage) -> DecodedMessage? {
        _ = table.take(.message(message))
        switch message.content {
        case .removed: drawFaces()
        case .picture(let picture): put(message, text: "preview      \(picture.jpeg.count) bytes")
        case .decoded(let decoded):
            if case .metadata = decoded, !style.isJSON, !style.showsMetadata {
                drawFaces()
            } else {
                put(message, text: style.isJSON ? "" : formatter.line(decoded))
            }
            return decoded
        // What cannot be read is reported once for each topic, by `Notices`.
        case .malformed: break
        }
        return nil
    }

    /// Forgets the faces: without a connection nothing is known of them.
    mutating func take(_ state: ConnectionState) {
        _ = table.take(.connection(state))
    }

    /// Writes a note for the person at the terminal above the line of the faces.
    mutating func note(_ text: String) {
        removeFaces()
        StandardOutput.note(text)
        drawFaces()
    }

    mutating func finish() {
        removeFaces()
    }

    private mutating func put(_ message: CameraMessage, text: String) {
        shown += 1
        let base = message.base
        guard !style.isJSON else {
            return StandardOutput.write(
                Message(topic: message.topic, payload: JSONText.onOneLine(message.payload)).line(base: base)
            )
        }
        removeFaces()
        StandardOutput.write(Array(((namesCamera ? "\(base.printable)  " : "") + text + "\n").utf8))
        drawFaces()
    }

    private mutating func drawFaces() {
        guard StandardOutput.isTerminal, !style.isJSON, !style.showsMetadata else { return }
        let parts = table.sorted.compactMap { base, camera -> String? in
            guard camera.stamp != nil || !camera.mayShowFaces else { return nil }
            let words = camera.mayShowFaces ? formatter.words(of: camera.faces) : camera.summary
            return (namesCamera ? "\(base): " : "") + words
        }
        guard !parts.isEmpty else { return removeFaces() }
        let text = parts.joined(separator: "  ").printable.cut(to: TerminalSize.current.columns - 1)
        hasFacesLine = true
        StandardOutput.write(Array("\r\u{1B}[K\(formatter.faint(text))".utf8))
    }

    private mutating func removeFaces() {
        guard hasFacesLine else { return }
        hasFacesLine = false
        StandardOutput.write(Array("\r\u{1B}[K".utf8))
    }
}
