import ArgumentParser
import DaemonCore
import Foundation

/// The options that override settings. None has a default: without an option, the environment or the file decides.
struct SettingsOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The settings file.", valueName: "file"), completion: .file(extensions: ["yaml"]))
    var config: String?

    @Option(
        help: ArgumentHelp(
            """
            auto, a device such as /dev/video0, a clip, a picture, a stream's URL, exec:COMMAND, or with GStreamer \
            libcamera, pipewire or gstreamer:ELEMENTS. Of an RTSP camera best its second stream, about 640x480: see README.
            """,
            valueName: "source"
        ),
        completion: .file()
    )
    var source: String?

    @Option(help: ArgumentHelp("The broker: mqtt[s]://[user@]host[:port].", valueName: "url"))
    var mqtt: String?

    @Option(help: ArgumentHelp("What all topics begin with (faces).", valueName: "base"))
    var topic: String?

    @Option(
        help: ArgumentHelp("How a clip is played: realtime or asap.", valueName: "pace"),
        completion: .list(["realtime", "asap"])
    )
    var pace: String?

    @Flag(help: "Start a clip again at its end, until stopped.")
    var loop = false

    @Option(
        help: ArgumentHelp("Begin with detection on or off.", valueName: "on|off"),
        completion: .list(["on", "off"])
    )
    var detect: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Any setting by its key, such as tracking.patience=1s or publish=enter,leave; repeatable.",
            valueName: "key=value"
        )
    )
    var assignments: [String] = []

    func load() throws -> Settings {
        try Settings.load(arguments: try arguments(), environment: ProcessInfo.variables, path: config)
    }

    private func arguments() throws -> [String: String] {
        var arguments: [String: String] = [:]
        for assignment in assignments {
            guard let equals = assignment.firstIndex(of: "="), equals != assignment.startIndex else {
                throw ValidationError("--set takes key=value, not \"\(assignment)\"")
            }
            arguments[String(assignment[..<equals])] = String(assignment[assignment.index(after: equals)...])
        }
        var username: String?
        for url in mqtt?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            do {
                username = try BrokerAddress(url: String(url)).username ?? username
            } catch {
                throw ValidationError("--mqtt: \(error)")
            }
        }
        let options = [
            "camera.source": source, "mqtt.brokers": mqtt, "mqtt.username": username, "mqtt.topic": topic,
            "clip.pace": pace, "clip.loop": loop ? "true" : nil, "detection.enabled": detect,
        ]
        return arguments.merging(options.compactMapValues(\.self)) { $1 }
    }
}
