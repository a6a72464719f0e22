import ArgumentParser
import FaceMessages

struct Calibrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures where the thing stands that people look at: the setting look.direction.",
        discussion: """
            Sit where people will be, with no other face nearer, and look at the thing until it says that it is done. Prints \
            the lines for the daemon's settings. The daemon must publish the gaze for it (metadata.fields); without a daemon, \
            --source opens the camera itself and measures more finely.

            Examples:
              facet calibrate --source auto
              facet calibrate --camera porch --write /etc/facet/facetd.yaml
            """
    )

    /// Seconds until the command gives up.
    private static let patience = 20.0

    @Option(help: "For how many seconds to measure, 1…30.", transform: number(1...30))
    var seconds = 3.0

    @Option(help: "Write the direction into this settings file, and leave everything else in it as it is.")
    var write: String?

    @OptionGroup var live: SourceOptions

    func run() async throws {
        // A file that cannot be written is no reason to look at something first.
        let file = try write.map { try DirectionFile(path: $0) }
        let subscriber = try await live.subscriber(command: "calibrate", topics: Topic.followed)
        var (measurement, state) = (GazeMeasurement(seconds: seconds), CameraState())
        var direction: Gaze?
        StandardOutput.note("look at the thing and keep still")
        try await subscriber.follow(every: .milliseconds(50), interruptible: false) { input in
            guard case .tick = input.content else {
                if case .occurrence(let occurrence) = input.content { state.take(occurrence) }
                return true
            }
            // Metadata comes only when a value changes: until then it holds.
            direction = try measurement.take(state.faces, at: input.seconds)
            return direction == nil && input.seconds <= Self.patience
        }
        guard let direction else { throw CommandFailure(measurement.failureReason(subscriber.address, state)) }
        StandardOutput.print(line: "look:\n  direction: \(DirectionFile.text(direction))")
        guard let file else { return }
        StandardOutput.note(try file.changed(to: direction).write())
    }
}

/// Where the nearest face looks, over a stretch of time.
struct GazeMeasurement {
    /// Degrees around the middle that half of the gazes may lie off: with more the person looks around.
    private static let mostSpread = 6.0

    /// For how many seconds.
    let seconds: Double

    private var start: Double?
    private var gazes: [Gaze] = []
    private var hasSeenFace = false

    init(seconds: Double) { self.seconds = seconds }

    /// Takes the faces at a time in seconds.
    ///
    /// - Returns: the middle of all gazes, once there are enough of them.
    /// - Throws: `CommandFailure` if the face looked around.
    mutating func take(_ faces: [FaceObject], at time: Double) throws(CommandFailure) -> Gaze? {
        let nearest = faces.max { $0.bounds.area < $1.bounds.area }
        hasSeenFace = hasSeenFace || nearest != nil
        guard let gaze = nearest?.gaze, nearest?.isSeen == true else { return nil }
        let began = start ?? time
        start = began
        gazes.append(gaze)
        guard time - began >= seconds else { return nil }
        let middle = Gaze(yaw: Self.median(gazes.map(\.yaw)), pitch: Self.median(gazes.map(\.pitch)))
        let spread = Self.median(gazes.map { $0.angle(to: middle) })
        guard spread <= Self.mostSpread else {
            throw CommandFailure("the eyes moved by \(Int(spread)) degrees: look at one point, and try again")
        }
        return middle
    }

    /// Why nothing could be measured.
    func failureReason(_ address: String, _ camera: CameraState = CameraState()) -> String {
        if !hasSeenFace {
            let cause = camera.mayShowFaces ? "sit before the camera, and try again" : "the camera is \(camera.summary)"
            return "no face was seen at \(address): \(cause)"
        }
        return gazes.isEmpty
            ? "no gaze is known: come nearer, or let the daemon publish it with metadata.fields: [looking, gaze]"
            : "the eyes were not seen for long enough: look at the thing for \(seconds) s, and try again"
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

/// A settings file in which the direction is to change.
struct DirectionFile {
    private static let key = "look.direction"

    let file: SettingsText

    init(path: String) throws {
        file = try SettingsText(path: path)
        let group = file.places["look"].map { file.lines[$0 - 1].prefix { $0 != "#" } }
        guard group?.trimmingPrefix("look:").allSatisfy(\.isWhitespace) ?? true else {
            throw CommandFailure("\(path): look is not written as lines below it; write look.direction there yourself")
        }
    }

    static func text(_ direction: Gaze) -> String {
        // The sum with 0 of a negative 0 is a 0 without a sign.
        "[\((direction.yaw * 10).rounded() / 10 + 0), \((direction.pitch * 10).rounded() / 10 + 0)]"
    }

    func changed(to direction: Gaze) throws -> SettingsText {
        var lines = file.lines
        let setting = "direction: " + Self.text(direction)
        if let line = file.places[Self.key] {
            let old = lines[line - 1]
            let comment = old.firstIndex(of: "#").map { "  " + old[$0...] } ?? ""
            lines[line - 1] = old.prefix { $0 == " " } + setting + comment
        } else if let line = file.places["look"] {
            // As far in as the settings beside it.
            let indent = lines[line...].first { !$0.allSatisfy(\.isWhitespace) }?.prefix { $0 == " " } ?? ""
            lines.insert((indent.isEmpty ? "  " : indent) + setting, at: line)
        } else {
            return try file.changed("look", to: ["  " + setting])
        }
        return try file.changed(to: lines, only: [Self.key])
    }
}
