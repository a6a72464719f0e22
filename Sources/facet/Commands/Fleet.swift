struct Fleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the state of all cameras, one row each.",
        discussion: """
            Cameras are those under faces and +/faces; --topic names others. Cameras with a problem come first. FPS is \
            the rate of analysed frames in the newest faces/stats, DECODE and ANALYSE what decoding and analysis took of a \
            core then, LAST EVENT is since this command runs, AGE the time since the newest message of the camera.

            On a terminal the table is live; q ends it. Elsewhere each change of a camera is a line. With --json it is one of \
            JSON with base, camera, state, reason, detail, attention, faces, frameRate, cpuDecoding, cpuAnalysis, lastEvent, \
            lastEventTime and age; what is unknown is left out: faces and frameRate of a camera that does not stream, age of \
            one that streams and has sent nothing yet. With --once the exit status is 1 if there is no camera, or no broker.

            --csv writes what faces/today says of each hour, and ends in the same way: base, camera, since (when the day's \
            counting began, in UTC), hour (of the camera's local clock), visits, looks, lookingSeconds, smiles. An hour in \
            which nothing counted has no line.

            --prometheus keeps a file with the figures of all cameras, for the textfile collector of node_exporter. It is \
            replaced as a whole, and removed at the end. While the broker is away, it says facet_broker_connected 0 and \
            nothing else; figures are as fresh as the daemon's stats.interval. /metrics of facet serve has the same.

            Examples:
              facet fleet
              facet fleet --topic 'site1/+/faces'
              facet fleet --once --json | jq -r 'select(.state == "lost").base'
              facet fleet --prometheus /var/lib/prometheus/node-exporter/facet.prom
              facet fleet --csv > today.csv
            """
    )

    @Flag(help: "Write each change as one line of JSON.")
    var json = false

    @Flag(help: "Write the table once all cameras sent figures, after at most \(Int(CameraTable.patience)) s, and end.")
    var once = false

    @Flag(help: "Write what each camera saw today, by the hour, as CSV, and end.")
    var csv = false

    @Option(file: "Keep this file, which must end in .prom, up to date, and show nothing.")
    var prometheus: String?

    @Option(help: "How often --prometheus writes, in seconds", in: 1...3600)
    var interval = 15.0

    @Option(help: "Remove what the broker has retained about this camera, which has stopped, and end.", value: "name")
    var forget: String?

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard prometheus == nil || !(json || once || csv) else {
            throw ValidationError("--prometheus excludes --json, --once and --csv")
        }
        if csv, json { throw ValidationError("--csv and --json are two formats: give one") }
    }

    func run() async throws {
        let access = try broker.access()
        if let forget { return Console.print(line: try await FleetWatch.forget(forget, access)) }
        if let prometheus {
            try OutputPath.check(prometheus, endings: ["prom"], what: "figures", replaces: true)
            return try await FleetWatch.writeFigures(access, to: prometheus, every: interval)
        }
        if csv { return try await FleetWatch.writeHours(access) }
        let fleet = FleetWatch(isJSON: json)
        try await once ? fleet.showOnce(access) : fleet.show(access)
    }
}
