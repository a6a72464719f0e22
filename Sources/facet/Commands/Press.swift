import KeyPressing

struct Press: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Presses keys and mouse buttons of this machine on events and signs.",
        discussion: """
            The keys come from a keyboard of its own, which the kernel's uinput makes: they work on a console, on X11 and on \
            Wayland. Keys have the kernel's names, without KEY_ if you like: A, SPACE, ENTER, LEFT, BTN_LEFT (a mouse's), \
            LEFTCTRL+C. Signs are \(Self.signNames); the left eye is the person's own. A daemon publishes them with sign in \
            publish; --source opens the camera here instead, without a daemon.

            Every person in the picture can press keys. Ends with Ctrl-C, and then releases what is pressed.

            Examples:
              facet press long_blink=ENTER wink_right=BTN_LEFT
              facet press nod=Y shake=N --source auto
              facet press smile=SPACE --camera porch
            """
    )

    private static let signNames = FaceEvent.Sign.allCases.map(\.rawValue).joined(separator: ", ")

    @Argument(
        help: .init("Events or signs, each with the key that it presses.", valueName: "event=key"),
        completion: .list(EventName.allValueStrings.map { $0 + "=" }),
        transform: KeyBinding.init
    )
    var bindings: [KeyBinding]

    @OptionGroup var live: SourceOptions

    func run() async throws {
        let presser = try KeyPresser(bindings)
        let topics = presser.topics
        try await presser.run(try await live.subscriber(command: "press", topics: topics, awaiting: topics))
    }
}
