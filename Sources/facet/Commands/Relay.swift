struct Relay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends faces to other programs as OSC or opentrack messages.",
        discussion: """
            About 30 times a second and with each event, over UDP, from a daemon, or from the camera or clip of --source. OSC: a \
            bundle of /facet/count (faces) and a /facet/face each (id, x and y of the middle, width, height as shares of the \
            picture, roll, yaw, pitch in degrees, smile 0 to 1, distance in metres, looking; unknown angles are 0, the last \
            three -1), and /facet/event (kind, id); also the same numbers as channels, /facet/CAMERA/N/smile and so on, where \
            N is the lowest number that was free when the face came, and /facet/CAMERA/N/present (1, and 0 once it has left). \
            opentrack: place and angles of the nearest face, for its input "UDP over network".

            Examples:
              facet relay --source auto --osc 127.0.0.1:9000
              facet relay --camera porch --opentrack 192.168.1.20:4242
            """
    )

    @Option(help: .init("Send Open Sound Control messages there; may be repeated.", valueName: "host:port"))
    var osc: [String] = []

    @Option(help: .init("Send opentrack's messages there; may be repeated.", valueName: "host:port"))
    var opentrack: [String] = []

    @OptionGroup var live: SourceOptions

    func validate() throws {
        if osc.isEmpty, opentrack.isEmpty { throw ValidationError("give --osc HOST:PORT or --opentrack HOST:PORT") }
    }

    func run() async throws {
        let relay = try FaceRelay(osc: osc, opentrack: opentrack)
        try await relay.run(try await live.subscriber(command: "relay", topics: Topic.followed))
    }
}
