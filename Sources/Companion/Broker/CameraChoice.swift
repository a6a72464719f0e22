import FaceMessages

/// Which of the cameras on a broker a command is about that shows only one.
enum CameraChoice {
    /// How many cameras an error lists.
    private static let listed = 12
    /// Seconds without a further camera after which those that were heard of count as all.
    private static let pause = 0.3

    /// Listens for the cameras under the options' patterns, and chooses the one that the options name. Returns the
    /// camera's base; the documented one if nothing was asked for and nothing is there yet. Throws `CommandFailure`
    /// that names the cameras there are, unless exactly one fits.
    static func base(_ options: BrokerAccess, command: String) async throws -> String {
        let patterns = options.patterns
        let name = options.camera
        if name == nil, !BrokerAccess.isPlural(patterns) { return patterns[0] }
        let isFree = !options.isNarrowed
        let topics: [Topic] = [.status, .count, .metadata, .stats]
        let subscriber = try Subscriber(options, command: command, topics: topics, patterns: patterns)
        var table = CameraTable()
        do {
            // The camera that is named may be one that has just been started.
            let limit = name == nil ? Subscriber.listening : 3
            table = try await CameraTable.listen(to: subscriber, atMost: { _ in limit }, pause: pause) { table in
                table.cameras.contains { name == nil || $0 == name || $1.name == name }
            }
        } catch  where isFree {
            // The command connects next, and then reports the same trouble itself.
        }
        guard !table.cameras.isEmpty else {
            guard isFree else { throw subscriber.noCamera }
            return BrokerAccess.standardBase
        }
        let cameras = table.problemsFirst
        // A daemon that has ended still has retained messages, but cannot be chosen.
        let live = cameras.filter { ![.stopped, .offline, .gone].contains($0.state.condition) }
        let fitting =
            name.map { name in cameras.filter { $0.base == name || $0.state.name == name } }
            ?? (live.count == 1 ? live : cameras)
        guard fitting.count != 1 else { return fitting[0].base }
        let place = subscriber.place
        guard let name else {
            let example = key(of: cameras.first { !$0.state.hasProblem } ?? cameras[0], in: cameras)
            throw CommandFailure(
                "\(cameras.count) cameras \(place): \(list(cameras)); choose one with --camera \(example)"
            )
        }
        guard !fitting.isEmpty else {
            let verb = cameras.count == 1 ? "is" : "are"
            throw CommandFailure("no camera '\(name)' \(place): there \(verb) \(list(cameras))")
        }
        let found = "\(fitting.count) cameras are called '\(name)' \(place): \(list(fitting))"
        throw CommandFailure("\(found); choose one with --topic \(fitting[0].base)")
    }

    /// What addresses a camera and no other one.
    private static func key(of camera: CameraTable.Camera, in cameras: [CameraTable.Camera]) -> String {
        guard let name = camera.state.name, !name.isEmpty,
            cameras.count(where: { $0.state.name == name || $0.base == name }) == 1
        else { return camera.base.shownName }
        return name.shownName
    }

    private static func list(_ cameras: [CameraTable.Camera]) -> String {
        var parts = cameras.prefix(listed).map { camera in
            "\(key(of: camera, in: cameras)) (\(camera.base.shownName), \(camera.state.condition.rawValue))"
        }
        if cameras.count > listed { parts.append("and \(cameras.count - listed) more, which `facet fleet` lists") }
        return parts.joined(separator: ", ")
    }
}
