import ArgumentParser
import Companion
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

    @Option(help: "For how many seconds to measure", in: 1...30)
    var seconds = 3.0

    @Option(help: "Write the direction into this settings file, and leave everything else in it as it is.")
    var write: String?

    @OptionGroup var live: SourceOptions

    func run() async throws {
        // A file that cannot be written is no reason to look at something first.
        let file = try write.map { try DirectionFile(path: $0) }
        let subscriber = try await live.subscriber(command: "calibrate", topics: Topic.followed)
        let direction = try await GazeMeasurement.direction(subscriber, seconds: seconds)
        StandardOutput.print(line: "look:\n  direction: \(DirectionFile.text(direction))")
        if let file { StandardOutput.note(try file.changed(to: direction).write()) }
    }
}
