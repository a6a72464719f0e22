import ArgumentParser
import FaceMessages
import FaceMetadata
import Frames
import MQTT

/// Which of the cameras on a broker a command is about that shows only one.
struct CameraChoice {
    /// How many cameras an error lists.
    private static let listed = 12

    /// What the topics of the cameras begin with; + stands for any level.
    var patterns: [String]

    /// The broker's host and port.
    var address: String

    /// Listens for the cameras under the options' patterns.
    ///
    /// - Parameters:
    ///   - name: the name of the camera, or its base; nil for the only one there is.
    ///   - options: where the broker is, and the patterns.
    ///   - command: the command's name, for the broker's log.
    /// - Returns: the camera's base.
    /// - Throws: `CommandFailure` that names the cameras there are, unless exactly one fits.
    static func base(named name: String?, _ options: BrokerOptions, command: String) async throws -> String {
        let patterns = options.patterns(default: BrokerOptions.allCameras)
        let topics: [Topic] = [.status, .count, .metadata, .stats]
        let subscriber = try Subscriber(options, command: command, topics: topics, patterns: patterns)
        let choice = CameraChoice(patterns: patterns, address: subscriber.address)
        var (board, notices) = (FleetBoard(), ConnectionNotices(address: subscriber.address))
        var connected: ContinuousClock.Instant?
        loop: for await input in LiveInputs(subscriber, interval: .milliseconds(50)) {
            switch input.content {
            case .occurrence(.connection(let state)):
                if let note = try notices.note(state) { StandardOutput.note(note) }
                connected = state.isConnected ? .now : nil
            case .occurrence(.message(let topic, let message)):
                let base = message.base(of: topic)
                _ = try? board.take(
                    message.payload,
                    on: topic,
                    under: base,
                    isRetained: message.retained,
                    at: .wallClock()
                )
            case .tick:
                if let connected, connected.duration(to: .now) > .seconds(Subscriber.listening) { break loop }
            case .occurrence(.foreign), .key, .interrupted: break
            }
        }
        await subscriber.stop()
        return try choice.base(named: name, among: board.cameras)
    }

    /// The base of the one camera that fits.
    func base(named name: String?, among cameras: [FleetBoard.Camera]) throws(CommandFailure) -> String {
        let place = "under \(patterns.joined(separator: ", ")) at \(address)"
        guard !cameras.isEmpty else {
            throw CommandFailure("no camera \(place): start facetd, or name its base with --topic")
        }
        guard let name else {
            guard cameras.count > 1 else { return cameras[0].base }
            throw CommandFailure(
                "\(cameras.count) cameras \(place): \(Self.list(cameras)); choose one with --camera \(Self.key(of: cameras[0], in: cameras))"
            )
        }
        let fitting = cameras.filter { $0.name == name || $0.base == name }
        guard !fitting.isEmpty else {
            throw CommandFailure(
                "no camera '\(name)' \(place): there \(cameras.count == 1 ? "is" : "are") \(Self.list(cameras))"
            )
        }
        guard fitting.count == 1 else {
            throw CommandFailure(
                "\(fitting.count) cameras are called '\(name)' \(place): \(Self.list(fitting)); choose one with --topic \(fitting[0].base)"
            )
        }
        return fitting[0].base
    }

    /// What addresses a camera and no other one.
    private static func key(of camera: FleetBoard.Camera, in cameras: [FleetBoard.Camera]) -> String {
        let isUnique =
            !camera.name.isEmpty && cameras.filter { $0.name == camera.name || $0.base == camera.name }.count == 1
        return (isUnique ? camera.name : camera.base).printable
    }

    private static func list(_ cameras: [FleetBoard.Camera]) -> String {
        var parts = cameras.prefix(listed).map { camera in
            "\(key(of: camera, in: cameras)) (\(camera.base.printable), \(camera.state))"
        }
        if cameras.count > listed { parts.append("and \(cameras.count - listed) more, which `facet fleet` lists") }
        return parts.joined(separator: ", ")
    }
}
