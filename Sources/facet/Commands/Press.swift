import ArgumentParser
import FaceMessages
import FaceMetadata
import SettingsFiles

struct Press: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Presses keys and mouse buttons of this machine on events and signs.",
        discussion: """
            The keys come from a keyboard of its own, which the kernel's uinput makes: they work on a console, on X11 and on \
            Wayland. Keys have the kernel's names, without KEY_ if you like: A, SPACE, ENTER, LEFT, BTN_LEFT (a mouse's), \
            LEFTCTRL+C. Signs are \(Self.signNames); the left eye is the person's own. A daemon publishes them with \
            signs.enabled; --source opens the camera here instead, without a daemon.

            Every person in the picture can press keys. Ends with Ctrl-C, and then releases what is pressed.

            Examples:
              facet press --on long_blink=ENTER --on wink_right=BTN_LEFT
              facet press --source auto --on nod=Y --on shake=N
              facet press --on smile=SPACE --camera porch
            """
    )

    private static let signNames = FaceEvent.Sign.allCases.map(\.rawValue).joined(separator: ", ")

    /// For how many seconds a key is pressed.
    private static let press = 0.05

    @Option(
        name: .customLong("on"),
        help: ArgumentHelp(
            "An event or a sign, and the key that it presses; may be repeated.",
            valueName: "event=key"
        ),
        transform: KeyBinding.init
    )
    var bindings: [KeyBinding]

    @OptionGroup var live: SourceOptions

    func run() async throws {
        let keyboard = try VirtualKeyboard(keys: bindings.flatMap(\.keys))
        let topics = Set(bindings.map(\.topic)).sorted { $0.rawValue < $1.rawValue }
        let subscriber = try await live.subscriber(command: "press", topics: topics)
        var pressed: [(keys: [KeyName], until: Double)] = []
        StandardOutput.note("waiting for \(bindings.map(\.text).joined(separator: ", ")); Ctrl-C ends")
        try await subscriber.follow(every: .milliseconds(25)) { input in
            if case .occurrence(let occurrence) = input.content, case .event(let event) = occurrence.decoded {
                for binding in bindings where binding.fits(event.event.kind) {
                    try keyboard.set(binding.keys, isDown: true)
                    pressed.append((binding.keys, input.seconds + Self.press))
                    StandardOutput.print(line: "\(binding.text) (face \(event.event.face.faceID.rawValue))")
                }
            }
            while let first = pressed.first, input.seconds >= first.until {
                try keyboard.set(first.keys, isDown: false)
                pressed.removeFirst()
            }
            return true
        }
        for (keys, _) in pressed { try keyboard.set(keys, isDown: false) }
    }
}

/// An event or a sign, and the keys that it presses.
struct KeyBinding {
    let text: String
    let topic: Topic
    /// The kind of sign; nil for all that happens on the topic.
    let sign: FaceEvent.Sign?
    let keys: [KeyName]

    /// - Throws: `CommandFailure` that names what is meant, if it is like something.
    init(_ text: String) throws(CommandFailure) {
        self.text = text
        guard let equals = text.firstIndex(of: "="), text.index(after: equals) < text.endIndex else {
            throw CommandFailure("'\(text)' is not an event, = and a key, such as long_blink=ENTER")
        }
        let name = String(text[..<equals])
        sign = FaceEvent.Sign(rawValue: name)
        guard let topic = sign == nil ? Topic(argument: name) : .sign else {
            let names = FaceEvent.Sign.allCases.map(\.rawValue) + Topic.events.map(\.rawValue)
            throw Self.unknown(name, "event or sign", among: names, "there are \(names.joined(separator: ", "))")
        }
        self.topic = topic
        var keys: [KeyName] = []
        for name in text[text.index(after: equals)...].split(separator: "+", omittingEmptySubsequences: false) {
            guard let key = KeyName(name) else {
                let remedy = "the names are the kernel's, as evtest shows them"
                throw Self.unknown(String(name), "key", among: KeyName.all, remedy)
            }
            keys.append(key)
        }
        self.keys = keys
    }

    func fits(_ kind: FaceEvent.Kind) -> Bool { Topic(kind) == topic && (sign.map { kind == .sign($0) } ?? true) }

    private static func unknown(_ name: String, _ what: String, among names: [String], _ other: String)
        -> CommandFailure
    {
        let hint = likelyName(for: name, among: names).map { "did you mean \($0)?" } ?? other
        return CommandFailure("there is no \(what) '\(name)'; \(hint)")
    }
}
