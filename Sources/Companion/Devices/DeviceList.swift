/// The cameras of this machine, as lines of text and as JSON.
package struct DeviceList {
    private let inventory = CameraInventory.list()
    /// The cameras that libcamera and PipeWire provide, found through GStreamer.
    private let shared = PipelineDescription.cameras()

    package init() {}

    package var lines: [String] {
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

    private static func words(_ rate: ClosedRange<Double>) -> String {
        rate.lowerBound == rate.upperBound ? "\(rate.lowerBound)" : "\(rate.lowerBound)-\(rate.upperBound)"
    }

    package var json: Data {
        get throws {
            let cameras = inventory.cameras.map { camera -> [String: Any] in
                [
                    "node": camera.node, "name": camera.card, "driver": camera.driver, "bus": camera.bus,
                    "stableNames": camera.stableNames, "formats": camera.formats.map(Self.json),
                    "controls": camera.controls.map(Self.json),
                ]
            }
            let object: [String: Any] = [
                "cameras": cameras, "shared": shared.map { ["device": $0.device, "name": $0.name] },
                "others": inventory.others.map { ["node": $0.node, "why": $0.why] },
            ]
            return try JSONSerialization.data(withJSONObject: object)
        }
    }

    private static func json(_ format: CameraFormat) -> [String: Any] {
        let sizes = format.sizes.map { size -> [String: Any] in
            let largest = size.minimum == size.maximum ? nil : ["largest": "\(size.maximum)"]
            return ["size": "\(size.minimum)", "rates": size.rates.map(words)].merging(largest ?? [:]) { $1 }
        }
        return ["format": "\(format.fourCC)", "name": format.name, "converted": format.isEmulated, "sizes": sizes]
    }

    private static func json(_ control: CameraControl) -> [String: Any] {
        var json: [String: Any] = [
            "name": control.name, "minimum": control.range.lowerBound, "maximum": control.range.upperBound,
        ]
        json["value"] = control.value
        if !control.choices.isEmpty {
            json["choices"] = Dictionary(control.choices.map { ($1, $0) }, uniquingKeysWith: min)
        }
        return json
    }
}
