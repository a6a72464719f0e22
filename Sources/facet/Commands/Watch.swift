struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows events as they come, and the faces that are there.",
        discussion: """
            One line for each event; on a terminal in colours (unless NO_COLOR is set), with the present faces in a last line. With \
            --json each is a line as `facetd --print` writes it. Without a topic: all events, status, detect/state, metadata.

            The command of --exec finds the event's fields in FACET_EVENT, FACET_FACE, FACET_FACES (how many faces are there \
            after it), FACET_CAMERA, FACET_MEDIA_TIME, FACET_YAW, FACET_DURATION and so on, one for each number and text of its \
            payload, and the whole payload in FACET_JSON, if it is not longer than 128 KiB. If count (FACET_COUNT), today, status \
            or detect/state (FACET_DETECT) are named, it is run for these too. Commands run one after the other.

            --post sends each event as CloudEvents 1.0 (structured JSON), and again with the same id until the server accepts it \
            (2xx) or refuses it for good; up to 1000 events wait for it. With --secret-file each request has a header \
            X-Facet-Signature-256: sha256= and the HMAC of its body. When the command is stopped, \
            waiting events have five seconds, and a request under way ten, to get to --exec and --post; those that do not are \
            counted, with status 1.

            Examples:
              facet watch --mqtt mqtts://me@broker.example --topic porch/faces smile blink
              facet watch --json | jq -c 'select(.topic == "faces/smile").payload'
              facet watch smile --source auto --exec 'curl -s http://lamp.local/on'
              facet watch smile leave --post https://hooks.example --secret-file key
              facet watch leave --exec '[ $FACET_FACES = 0 ] && loginctl lock-session'
              facet watch smile --count 1 && echo smiled
            """
    )

    @Argument(
        help:
            "Topics under the base: metadata, \(Topic.events.map(\.rawValue).joined(separator: ", ")), count, status, stats, …",
        completion: .list(Topic.allCases.map(\.rawValue))
    )
    var topics: [String] = []

    @Flag(help: "Write each message as one line of JSON.")
    var json = false

    @Flag(help: "Show each metadata message in a line of its own.")
    var faces = false

    @Option(help: "Run this shell command for each event, and for count and others that are named.", value: "command")
    var exec: String?

    @Option(help: "Send each event to this web address, as CloudEvents in JSON.", value: "url")
    var post: String?

    @Option(file: "A file with the key that the requests of --post are signed with.")
    var secretFile: String?

    @Option(help: "End after this number of messages.", value: "number")
    var count: Int?

    @OptionGroup var live: SourceOptions

    func validate() throws {
        do { _ = try watch } catch { throw ValidationError("\(error)") }
        guard post != nil || secretFile == nil else {
            throw ValidationError("--secret-file signs the requests of --post: give that too")
        }
        if let count, count < 1 { throw ValidationError("--count must be 1 or more, not \(count)") }
    }

    private var watch: EventWatch {
        get throws {
            let access = try live.broker.access()
            return try EventWatch(access, topics, isJSON: json, showsFaces: faces, command: exec, posts: post != nil)
        }
    }

    func run() async throws {
        var watch = try watch
        watch.post = try post.map { try EventPost(to: $0, secretFile: secretFile) }
        watch.count = count
        try await watch.run(live.subscriber(command: "watch", topics: watch.heard, all: true, asDaemon: watch.named))
    }
}
