import ArgumentParser
import FaceMessages
import Frames

struct Relay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends faces to other programs as OSC or opentrack messages.",
        discussion: """
            About 30 times a second and with each event, over UDP, from a daemon, or from the camera or clip of --source. OSC: a \
            bundle of /facet/count (faces) and a /facet/face each (id, x and y of the middle, width, height as shares of the \
            picture, roll, yaw, pitch in degrees, smile 0 to 1, distance in metres, looking; -1 where unknown), and /facet/event \
            (kind, id). opentrack: place and angles of the nearest face, for its input "UDP over network".

            Examples:
              facet relay --source auto --osc 127.0.0.1:9000
              facet relay --camera porch --opentrack 192.168.1.20:4242
            """
    )

    /// Seconds between two messages while nothing changes.
    private static let interval = 1.0 / 30

    @Option(help: ArgumentHelp("Send Open Sound Control messages there; may be repeated.", valueName: "host:port"))
    var osc: [String] = []

    @Option(help: ArgumentHelp("Send opentrack's messages there; may be repeated.", valueName: "host:port"))
    var opentrack: [String] = []

    @OptionGroup var live: SourceOptions

    func validate() throws {
        if osc.isEmpty, opentrack.isEmpty { throw ValidationError("give --osc HOST:PORT or --opentrack HOST:PORT") }
    }

    func run() async throws {
        let (osc, opentrack) = (try osc.map(DatagramSender.init), try opentrack.map(DatagramSender.init))
        let subscriber = try await live.subscriber(command: "relay", topics: Topic.followed)
        var state = CameraState()
        var lastSent = -Self.interval
        StandardOutput.note("sending to \((osc + opentrack).map(\.address).joined(separator: ", ")); Ctrl-C ends")
        try await subscriber.follow(every: .milliseconds(5)) { input in
            if case .occurrence(let occurrence) = input.content {
                state.take(occurrence)
                if case .event(let event) = occurrence.decoded {
                    for sender in osc { sender.send(OSC.event(event.event)) }
                }
            }
            guard input.seconds - lastSent >= Self.interval else { return true }
            lastSent = max(lastSent + Self.interval, input.seconds - Self.interval)
            for sender in osc { sender.send(OSC.faces(state.faces)) }
            let picture = (state.status?.picture).map(FrameSize.init) ?? .usual
            guard let head = OpenTrack.message(state.faces, picture: picture) else { return true }
            for sender in opentrack { sender.send(head) }
            return true
        }
    }
}
