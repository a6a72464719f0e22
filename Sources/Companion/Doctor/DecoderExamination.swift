import MediaFiles

/// Examines which devices of this machine can decode video in place of the processor.
struct DecoderExamination {
    var directory = "/dev"

    func findings() -> [Finding] {
        let devices = HardwareDevice.nodes(in: directory).map(finding)
        let elements = ["v4l2h264dec", "v4l2h265dec", "v4l2slh264dec", "v4l2slh265dec"]
            .filter { PipelineDescription.pipeline($0).isInstalled }
        // Decoders with a kernel driver (V4L2), which are used through GStreamer only.
        let use = "camera.source: \"gstreamer:rtspsrc location=rtsp://… ! decodebin3\" takes them"
        let kernel = Finding.works("decoder", "V4L2, by GStreamer's \(elements.joined(separator: ", ")): \(use)")
        let found = elements.isEmpty ? devices : devices + [kernel]
        guard found.isEmpty else { return found }
        let missing =
            "no graphics card under \(directory)/dri, no driver of NVIDIA's, no V4L2 decoder that GStreamer knows"
        return [.works("decoder", "the processor decodes network cameras: \(missing)")]
    }

    private func finding(_ device: HardwareDevice.Node) -> Finding {
        let driver = device.driver.map { " (\($0))" } ?? ""
        do {
            guard let problem = try device.problem() else {
                let use = "camera.decoder: auto takes it for network cameras above 640x480 whose format it knows"
                return .works("decoder", "\(device.name)\(driver) can be opened: \(use)")
            }
            return .remark("decoder", "\(problem)\(driver)", remedy: Self.remedy(device))
        } catch {
            return .remark("decoder", "\(device.name)\(driver) was not tried: \(error.description)")
        }
    }

    private static func remedy(_ device: HardwareDevice.Node) -> String {
        guard access(device.node, R_OK | W_OK) == 0 else {
            return
                "sudo usermod -aG render $USER, then log in again; the service takes hardware-decoder.conf (docs/performance.md)"
        }
        return switch device.driver {
        case "i915", "xe": "sudo apt install intel-media-va-driver, or i965-va-driver for processors before 2015"
        case "amdgpu", "radeon", "nouveau": "sudo apt install mesa-va-drivers"
        case _ where device.node.contains("nvidia"), "nvidia": "install libnvcuvid1 and libcuda1 of NVIDIA's driver"
        default: "install its VA-API driver if there is one (apt search va-driver); without it the processor decodes"
        }
    }
}
