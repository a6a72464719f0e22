struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists this machine's cameras with their formats, sizes, rates and controls.",
        discussion: """
            A name under /dev/v4l/by-id survives replugging: use it for the daemon's camera.source. Where GStreamer is \
            installed, the cameras that it finds through libcamera and PipeWire follow.

            Examples:
              facet devices
              facet devices --json | jq -r '.cameras[0].node'
            """
    )

    @Flag(help: "Write it as JSON.")
    var json = false

    func run() throws {
        let list = DeviceList()
        if json { return try Console.print(prettyPrinted: list.json) }
        for line in list.lines { Console.print(line: line) }
    }
}
