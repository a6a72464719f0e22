struct Calibrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures where the thing is that people look at (look.direction), or what counts as your smile.",
        discussion: """
            Sit where people will be, with no other face nearer, and look at the thing until it says that it is done. Prints \
            the lines for the daemon's settings. The daemon must publish the gaze for it (metadata.fields); without a daemon, \
            --source opens the camera itself and measures more finely.

            With --smile it asks for half a minute: look neutral, smile three times, talk. From that it finds smile.level and \
            smile.hold, and says how often a smile would have been reported.

            Examples:
              facet calibrate --source auto
              facet calibrate --smile --source auto
              facet calibrate --camera porch --write /etc/facet/facetd.yaml
            """
    )

    @Option(help: "For how many seconds to measure where somebody looks", in: 1...30)
    var seconds = 3.0

    @Flag(help: "Find smile.level and smile.hold for the person before the camera.")
    var smile = false

    @Option(help: "Write what is found into this settings file, and leave everything else in it as it is.")
    var write: String?

    @OptionGroup var live: SourceOptions

    func run() async throws {
        // Checks that the file can be changed before anything is measured.
        let group = smile ? "smile" : "look"
        var file = try write.map { try SettingsText(path: $0) }
        _ = try file?.changed(group, smile ? "level" : "direction", to: smile ? "1" : "[0, 0]")
        let subscriber = try await live.subscriber(command: "calibrate", topics: Topic.followed)
        if smile { Console.note("sit before the camera alone, and do what is asked") }
        let found = try await smile ? smileSettings(subscriber) : direction(subscriber)
        Console.print(styled: SettingsText.group(group, found))
        for (key, value) in found { file = try file?.changed(group, key, to: value) }
        if let file { Console.note(try file.write()) }
    }

    private func direction(_ subscriber: Subscriber) async throws -> KeyValuePairs<String, String> {
        Console.note("look at the thing and keep still")
        var measurement = GazeMeasurement(seconds: seconds)
        return ["direction": GazeMeasurement.text(try await measurement.result(subscriber))]
    }

    private func smileSettings(_ subscriber: Subscriber) async throws -> KeyValuePairs<String, String> {
        var measurement = GuidedMeasurement()
        let outcome = try await measurement.result(subscriber)
        Console.note(measurement.script.words(on: outcome))
        return outcome.settings.fields
    }
}
