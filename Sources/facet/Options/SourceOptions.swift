/// The options for where pictures and faces come from: a daemon or, with `--source`, a local session in this process.
struct SourceOptions: ParsableArguments {
    @Option(
        help: """
            Look at this camera, clip or stream without a daemon or a broker: auto, /dev/video0, clip.mp4, rtsp://…, or demo, \
            a clip of a face that smiles.
            """,
        transform: { $0 == "demo" && !fileExists($0) ? try DemoClip.path() : $0 }
    )
    var source: String?

    @Flag(help: "Play the clip of --source again and again.")
    var loop = false

    @OptionGroup var broker: BrokerOptions

    /// Whether the source is a file, which ends, rather than a camera or a network stream.
    var isFile: Bool { source.map { !FaceSession.Source.isCamera($0) && fileExists($0) } ?? false }

    func validate() throws {
        guard loop, source.map(FaceSession.Source.isCamera) ?? true else { return }
        throw ValidationError("--loop plays a clip again and again: name one with --source")
    }

    /// Connects to the broker, or opens `--source` if given. With `named`, the topics that the user gave, `--source`
    /// yields only what a daemon publishes by default. Of these and of `awaited`, it refuses those that need a daemon.
    func subscriber(
        command: String,
        topics: [Topic] = Topic.viewed,
        all: Bool = false,
        asDaemon named: [Topic]? = nil,
        awaiting awaited: [Topic] = [],
        loops: Bool = false
    ) async throws -> Subscriber {
        guard let source else { return try await broker.access().subscriber(command, topics, all: all) }
        if broker.camera != nil {
            throw ValidationError("--camera names a camera on the broker; it and --source exclude each other")
        }
        if let topic = (named ?? awaited).first(where: UpdateMessages.missingTopics.contains) {
            throw ValidationError("nothing is published on \(topic.rawValue) with --source: it takes a daemon")
        }
        let metadata = named == nil ? nil : MetadataOptions()
        return try Subscriber(source: source, topics: topics, metadata: metadata, loops: loops || loop)
    }
}

/// The options for the broker's address and the cameras' topics, of all commands that use the broker.
///
/// `facet help broker` describes all of them. Each command's own help leaves out those for the password and TLS.
struct BrokerOptions: ParsableArguments {
    @Option(help: "The broker: mqtt[s]://[user@]host[:port]. All about it: facet help broker.", value: "url")
    var mqtt: String?

    @Option(
        help: .init("What the daemons' topics begin with, such as site1/+/faces; may be repeated.", valueName: "base"),
        completion: .cameras("base")
    )
    var topic: [String] = []

    @Option(
        help: "The camera, where there are several: its name, or the base of its topics.",
        value: "name",
        completion: .cameras("camera")
    )
    var camera: String?

    @Option(file: "A file that holds the user's password; otherwise FACET_MQTT_PASSWORD does.", .hidden)
    var passwordFile: String?

    @Option(file: "PEM file with the authorities to trust (mqtts only); otherwise the system's.", .hidden)
    var tlsCa: String?

    @Option(file: "PEM file with our own certificate, where the broker wants one.", .hidden)
    var tlsCertificate: String?

    @Option(file: "PEM file with the certificate's key.", .hidden)
    var tlsKey: String?

    func validate() throws {
        let access = try access()
        if let wrong = access.topic.first(where: { !BrokerAccess.isBase($0) }) {
            throw ValidationError("--topic '\(wrong)' cannot be a base: \(BrokerAccess.baseRule)")
        }
    }

    /// Combines options, environment and settings file. Throws `CommandFailure` for a wrong settings file.
    func access(environment: [String: String] = ProcessInfo.variables) throws -> BrokerAccess {
        var access = BrokerAccess()
        access.mqtt = mqtt
        access.topic = topic
        access.camera = camera
        access.files = [
            "passwordFile": passwordFile, "tls.ca": tlsCa, "tls.certificate": tlsCertificate, "tls.key": tlsKey,
        ].compactMapValues(\.self)
        try access.complete(environment: environment)
        return access
    }
}

struct BrokerHelp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facet COMMAND",
        abstract: "The options of all commands that talk to a broker.",
        discussion: """
            Without --mqtt the broker is that of FACET_MQTT or of ~/.config/facet/facet.yaml, else mqtt://localhost; mqtts:// \
            is TLS. Without --topic all cameras under faces and +/faces are meant; + stands for any one level. Where several \
            cameras run, --camera names the one for commands that show only one.
            """
    )

    @OptionGroup var broker: BrokerOptions
}

extension CompletionKind {
    /// The shell completions: the values of `field`, such as `base`, that `facet fleet --json` prints for cameras.
    fileprivate static func cameras(_ field: String) -> CompletionKind {
        let fields = "sed -n 's/.*\"\(field)\":\"\\([^\"]*\\)\".*/\\1/p'"
        return .shellCommand("timeout 1 facet fleet --json 2>/dev/null | \(fields) | sort -u | \(plainLines)")
    }

    /// A shell command that passes on the lines without characters that a shell expands. Bash executes what a
    /// completion contains, such as a camera's name with a command in it.
    static let plainLines = "grep -x '[[:alnum:] ._/@%+=:,-]*'"
}
