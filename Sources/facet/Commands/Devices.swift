import ArgumentParser
import FaceMessages
import Foundation
import Frames
import GStreamerCapture
import V4L2Capture

struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists this machine's cameras with their formats, sizes, rates and controls.",
        discussion: """
            A name under /dev/v4l/by-id survives replugging: use it for the daemon's camera.device. Where GStreamer is \
            installed, the cameras that it finds through libcamera and PipeWire follow.

            Examples:
              facet devices
              facet devices --json | jq -r '.cameras[0].node'
            """
    )

    @Flag(help: "Write it as JSON.")
    var json = false

    func run() throws {
        let inventory = CameraInventory.list()
        let shared = PipelineDescription.cameras()
        if json {
            try StandardOutput.print(prettyPrinted: inventory.json(with: shared))
        } else {
            for line in Self.lines(inventory, shared) { StandardOutput.print(line: line.printable) }
        }
    }

    static func lines(_ inventory: CameraInventory, _ shared: [(device: String, name: String)] = []) -> [String] {
        guard !inventory.cameras.isEmpty || !inventory.others.isEmpty || !shared.isEmpty else {
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
        lines += shared.map { "\($0.device)  \($0.name)" }
        lines += inventory.others.map { "\($0.node)  not a camera for us: \($0.why)" }
        return lines
    }
}

extension CameraInventory {
    private static func words(_ rate: ClosedRange<Double>) -> String {
        rate.lowerBound == rate.upperBound ? "\(rate.lowerBound)" : "\(rate.lowerBound)-\(rate.upperBound)"
    }

    fileprivate func json(with shared: [(device: String, name: String)]) -> [UInt8] {
        JSONWriter.object { json in
            json.array("cameras", cameras) { json, camera in
                json.field("node", camera.node)
                json.field("name", camera.card)
                json.field("driver", camera.driver)
                json.field("bus", camera.bus)
                json.field("stableNames", camera.stableNames)
                json.array("formats", camera.formats) { json, format in
                    json.field("format", "\(format.fourCC)")
                    json.field("name", format.name)
                    json.field("converted", format.isEmulated)
                    json.array("sizes", format.sizes) { json, size in
                        json.field("size", "\(size.minimum)")
                        json.field("largest", size.minimum == size.maximum ? nil : "\(size.maximum)")
                        json.field("rates", size.rates.map(Self.words))
                    }
                }
                json.array("controls", camera.controls) { json, control in
                    json.field("name", control.name)
                    json.field("minimum", control.range.lowerBound)
                    json.field("maximum", control.range.upperBound)
                    json.field("value", control.value)
                    guard !control.choices.isEmpty else { return }
                    json.object("choices") { json in
                        for (name, value) in Dictionary(control.choices.map { ($1, $0) }, uniquingKeysWith: min) {
                            json.field(name, value)
                        }
                    }
                }
            }
            json.array("shared", shared) { json, camera in
                json.field("device", camera.device)
                json.field("name", camera.name)
            }
            json.array("others", others) { json, other in
                json.field("node", other.node)
                json.field("why", other.why)
            }
        }
    }
}
