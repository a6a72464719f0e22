// Chooses the camera on a broker for a command that shows only one.
extension BrokerAccess {
    /// The maximum number of cameras that an error message lists.
    private static let listed = 12
    /// How long, in seconds, no new camera must appear before the list of cameras counts as complete.
    private static let pause = 0.3

    /// Returns the topic base of the camera that the user named, else of the only camera or the only one whose daemon
    /// runs, else the default base. Throws an error if a named camera is missing or several cameras match.
    func chosenBase(command: String) async throws -> String {
        if camera == nil, !Self.isPlural(patterns) { return patterns[0] }
        let topics: [Topic] = [.status, .count, .metadata, .stats]
        let subscriber = try Subscriber(self, command: command, topics: topics, patterns: patterns)
        var table = CameraTable()
        do {
            // A named camera may just have been started.
            let limit = camera == nil ? Subscriber.listening : 3
            table = try await CameraTable.listen(to: subscriber, atMost: { _ in limit }, pause: Self.pause) { table in
                table.cameras.contains { camera == nil || $0 == camera || $1.name == camera }
            }
        } catch  where !isNarrowed {
            // The command connects next and reports the same trouble itself.
        }
        guard !table.cameras.isEmpty else {
            guard !isNarrowed else { throw subscriber.noCamera }
            return Self.standardBase
        }
        let cameras = table.problemsFirst
        // A daemon that has ended still has retained messages, but cannot be chosen.
        let live = cameras.filter { ![.stopped, .offline, .gone].contains($0.state.condition) }
        let fitting =
            camera.map { name in cameras.filter { $0.base == name || $0.state.name == name } }
            ?? (live.count == 1 ? live : cameras)
        guard fitting.count != 1 else { return fitting[0].base }
        let place = subscriber.place
        guard let name = camera else {
            let example = cameras.first { !$0.state.hasProblem } ?? cameras[0]
            let choice = Self.key(of: example, in: cameras).shellValue(of: "--camera")
            throw CommandFailure(
                "\(cameras.count) cameras \(place): \(Self.list(cameras)); choose one with \(choice)"
            )
        }
        guard !fitting.isEmpty else {
            let verb = cameras.count == 1 ? "is" : "are"
            throw CommandFailure("no camera '\(name)' \(place): there \(verb) \(Self.list(cameras))")
        }
        let found = "\(fitting.count) cameras are called '\(name)' \(place): \(Self.list(fitting))"
        throw CommandFailure("\(found); choose one with \(fitting[0].base.shellValue(of: "--topic"))")
    }

    /// The value for `--camera` that selects the camera: its name if no other camera has it, otherwise its topic base.
    private static func key(of camera: CameraTable.Camera, in cameras: [CameraTable.Camera]) -> String {
        guard let name = camera.state.name, !name.isEmpty,
            cameras.count(where: { $0.state.name == name || $0.base == name }) == 1
        else { return camera.base }
        return name
    }

    private static func list(_ cameras: [CameraTable.Camera]) -> String {
        var parts = cameras.prefix(listed).map { camera in
            "\(key(of: camera, in: cameras).shownName) (\(camera.base.shownName), \(camera.state.condition.rawValue))"
        }
        if cameras.count > listed { parts.append("and \(cameras.count - listed) more, which `facet fleet` lists") }
        return parts.joined(separator: ", ")
    }
}
