import ArgumentParser
import FaceMessages
import Foundation
import Frames
import V4L2Capture

/// `facet devices`: the cameras of this machine.
struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists this machine's cameras with their formats, sizes, rates and controls.",
        discussion: """
            A name under /dev/v4l/by-id survives replugging: use it for the daemon's camera.device.

            Examples:
              facet devices
              facet devices --json | jq -r '.cameras[0].node'
            """
    )

    @Flag(help: "Write it as JSON.")
    var json = false

    func run() throws {
        let inventory = CameraInventory.list()
        if json {
            try StandardOutput.print(json: DeviceList(inventory))
        } else {
            for line in Self.lines(inventory) { StandardOutput.print(line: line.printable) }
        }
    }

    static func lines(_ inventory: CameraInventory) -> [String] {
        guard !inventory.cameras.isEmpty || !inventory.others.isEmpty else {
            return ["no camera: there is no /dev/video* on this machine; plug one in, or pass it into this container"]
        }
        var lines: [String] = []
        for camera in inventory.cameras {
            lines.append("\(camera.node)  \(camera.card)  (\(camera.driver), \(camera.bus))")
            lines += camera.stableNames.map { "  \($0)" }
            for format in camera.formats {
                lines.append("  \(format.fourCC)\(format.isEmulated ? " (converted)" : "")  \(format.name)")
                lines += format.sizes.map { "    \($0)" }
            }
            lines += camera.controls.map { "  \($0)\($0.value.map { value in ": now \(value)" } ?? "")" }
        }
        lines += inventory.others.map { "\($0.node)  not a camera for us: \($0.why)" }
        return lines
    }
}

/// The inventory in the form of `--json`.
struct DeviceList: Encodable {
    struct Camera: Encodable {
        var node: String
        var name: String
        var driver: String
        var bus: String
        var stableNames: [String]
        var formats: [Format]
        var controls: [Control]
    }

    struct Control: Encodable {
        var name: String
        var minimum: Int
        var maximum: Int
        var value: Int?
        var choices: [String: Int]?
    }

    struct Format: Encodable {
        var format: String
        var name: String
        var converted: Bool
        var sizes: [Size]
    }

    struct Size: Encodable {
        var size: String
        var largest: String?
        var rates: [String]
    }

    struct Other: Encodable {
        var node: String
        var why: String
    }

    var cameras: [Camera]
    var others: [Other]

    init(_ inventory: CameraInventory) {
        cameras = inventory.cameras.map { camera in
            Camera(
                node: camera.node,
                name: camera.card,
                driver: camera.driver,
                bus: camera.bus,
                stableNames: camera.stableNames,
                formats: camera.formats.map(Self.format),
                controls: camera.controls.map(Self.control)
            )
        }
        others = inventory.others.map { Other(node: $0.node, why: $0.why) }
    }

    private static func control(_ control: CameraControl) -> Control {
        Control(
            name: control.name,
            minimum: control.range.lowerBound,
            maximum: control.range.upperBound,
            value: control.value,
            choices: control.choices.isEmpty
                ? nil : Dictionary(control.choices.map { ($1, $0) }, uniquingKeysWith: min)
        )
    }

    private static func format(_ format: CameraFormat) -> Format {
        Format(
            format: "\(format.fourCC)",
            name: format.name,
            converted: format.isEmulated,
            sizes: format.sizes.map { size in
                Size(
                    size: "\(size.minimum)",
                    largest: size.minimum == size.maximum ? nil : "\(size.maximum)",
                    rates: size.rates.map { rate in
                        rate.lowerBound == rate.upperBound
                            ? "\(rate.lowerBound)" : "\(rate.lowerBound)-\(rate.upperBound)"
                    }
                )
            }
        )
    }
}
