/// Sends faces to other programs as OSC and opentrack messages, until the camera's messages end.
package struct FaceRelay {
    /// The seconds between two messages about the faces, whether anything changed or not.
    private static let interval = 1.0 / 30

    private let osc: [DatagramSender]
    private let opentrack: [DatagramSender]

    /// Looks up the receivers' addresses. Throws `CommandFailure` if one is not `HOST:PORT`, or is unknown.
    package init(osc: [String], opentrack: [String]) throws {
        self.osc = try osc.map(DatagramSender.init)
        self.opentrack = try opentrack.map(DatagramSender.init)
    }

    package func run(_ subscriber: Subscriber) async throws {
        var state = CameraState()
        var channels = FaceChannels()
        var lastSent = -Self.interval
        Console.note("sending to \((osc + opentrack).map(\.address).joined(separator: ", ")); Ctrl-C ends")
        try await subscriber.follow(every: .seconds(Self.interval)) { input in
            if case .occurrence(let occurrence) = input.content {
                state.take(occurrence)
                if case .event(let event) = occurrence.decoded {
                    for sender in osc { sender.send(OSC.event(event)) }
                }
            }
            guard input.seconds - lastSent >= Self.interval else { return true }
            lastSent = max(lastSent + Self.interval, input.seconds - Self.interval)
            let channels = channels.assign(state.faces).map { OSC.channel($0.number, of: state.name ?? "", $0.face) }
            for sender in osc { for bundle in [OSC.faces(state.faces)] + channels { sender.send(bundle) } }
            let picture = (state.status?.picture).map(FrameSize.init) ?? .usual
            if let head = OpenTrack.message(state.faces, picture: picture) {
                for sender in opentrack { sender.send(head) }
            }
            return true
        }
    }
}

/// Gives each face a channel number: the lowest that is free when the face comes. The face keeps it until it leaves.
struct FaceChannels {
    private var owners: [FaceID?] = []

    /// Updates the channels. Returns each number whose face has just left, with nil, then the number of each present
    /// face, with the face. A number whose face has left is free from the next call.
    mutating func assign(_ faces: [FaceObject]) -> [(number: Int, face: FaceObject?)] {
        let left = owners.indices.filter { index in
            owners[index].map { owner in !faces.contains { $0.faceID == owner } } ?? false
        }
        for face in faces where !owners.contains(face.faceID) {
            let free = owners.firstIndex(of: nil) ?? owners.endIndex
            if free == owners.endIndex { owners.append(nil) }
            owners[free] = face.faceID
        }
        for index in left { owners[index] = nil }
        let present = faces.compactMap { face in owners.firstIndex(of: face.faceID).map { ($0 + 1, face) } }
        return left.map { ($0 + 1, nil) } + present
    }
}

/// Sends UDP datagrams to one address, whether a program listens there or not.
final class DatagramSender {
    let address: String
    private let descriptor: CInt
    /// The number of successful sends in a row, initially 2. A failure is reported to the user only after two
    /// successes: one proves nothing, because the system says only at the next send that no program listens.
    private var successes = 2

    /// Looks up `HOST:PORT` or `[ADDRESS]:PORT`. Throws `CommandFailure` if the address has another form or is unknown.
    init(to address: String) throws {
        self.address = address
        guard let place = HostAndPort(address), let port = place.port else {
            throw CommandFailure("'\(address)' is not an address to send to; write HOST:PORT, as 192.168.1.20:9000")
        }
        let found = try failing(as: { CommandFailure("cannot send to \(address): \($0.reason)") }) {
            () throws(SocketAddress.LookupError) in try SocketAddress.all(of: place.host, port: Int(port))[0]
        }
        descriptor = socket(found.family, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, found.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw CommandFailure("cannot send to \(address): \(reason)")
        }
    }

    deinit { close(descriptor) }

    /// Sends a datagram, or drops it if that fails. Reports a failure only if the last two datagrams were sent.
    func send(_ bytes: [UInt8]) {
        guard Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT)) < 0 else { return successes += 1 }
        let reason = String(cString: strerror(errno))
        if successes > 1 { Console.note("\(address) does not take messages: \(reason)") }
        successes = 0
    }
}
