import FaceMessages
import Frames

/// Sends faces to other programs as OSC and opentrack messages, until the camera's messages end.
package struct FaceRelay {
    /// Seconds between two messages while nothing changes.
    private static let interval = 1.0 / 30

    private let osc: [DatagramSender]
    private let opentrack: [DatagramSender]

    /// Makes a relay to these addresses, each `HOST:PORT`.
    ///
    /// - Throws: `CommandFailure` if one is none, or is unknown.
    package init(osc: [String], opentrack: [String]) throws {
        self.osc = try osc.map(DatagramSender.init)
        self.opentrack = try opentrack.map(DatagramSender.init)
    }

    package func run(_ subscriber: Subscriber) async throws {
        var state = CameraState()
        var channels = FaceChannels()
        var lastSent = -Self.interval
        StandardOutput.note("sending to \((osc + opentrack).map(\.address).joined(separator: ", ")); Ctrl-C ends")
        try await subscriber.follow(every: .seconds(Self.interval)) { input in
            if case .occurrence(let occurrence) = input.content {
                state.take(occurrence)
                if case .event(let event) = occurrence.decoded {
                    for sender in osc { sender.send(OSC.event(event.event)) }
                }
            }
            guard input.seconds - lastSent >= Self.interval else { return true }
            lastSent = max(lastSent + Self.interval, input.seconds - Self.interval)
            let bundles =
                [OSC.faces(state.faces)]
                + channels.take(state.faces).map { channel in
                    OSC.channel(channel.number, of: state.name ?? "", channel.face)
                }
            for sender in osc { for bundle in bundles { sender.send(bundle) } }
            let picture = (state.status?.picture).map(FrameSize.init) ?? .usual
            guard let head = OpenTrack.message(state.faces, picture: picture) else { return true }
            for sender in opentrack { sender.send(head) }
            return true
        }
    }
}
