import CGStreamer
package import System

/// A GStreamer source: a camera of libcamera or PipeWire, or a pipeline in the syntax of `gst-launch-1.0`.
public struct PipelineDescription: Hashable, Sendable {
    /// The source's name in messages, without credentials.
    package let name: String
    /// The pipeline in the syntax of `gst-launch-1.0`, without the sink that Facet adds.
    package let text: Secret
    /// Whether the source is a camera. A session waits for an absent camera.
    package let isCamera: Bool

    /// Describes a pipeline, such as `videotestsrc num-buffers=90` or `rtspsrc location=… ! decodebin`.
    /// - Parameter text: The elements, without a sink. The last one must deliver pictures.
    /// - Returns: The description, which is checked when a session is made with it.
    public static func pipeline(_ text: String) -> PipelineDescription {
        PipelineDescription(name: "gstreamer:\(text)".shownSource, text: Secret(partly: text), isCamera: false)
    }

    /// Describes a camera that libcamera finds, such as on a Raspberry Pi's ribbon cable, in a phone or in a laptop.
    /// - Parameters:
    ///   - identifier: The camera's name as in `cam --list`; nil for the first camera.
    ///   - size: The size of the pictures; nil for 640x480.
    ///   - rate: The number of pictures per second; nil for the camera's default.
    ///   - controls: Properties of `libcamerasrc` by name, as `gst-inspect-1.0 libcamerasrc` lists them.
    /// - Returns: The description. If the camera is absent when the session runs, the session waits for it.
    public static func libcamera(
        _ identifier: String? = nil,
        size: FrameSize? = nil,
        rate: Double? = nil,
        controls: [String: String] = [:]
    ) -> PipelineDescription {
        var properties = controls
        properties["camera-name"] = identifier
        return PipelineDescription(camera: "libcamera", identifier, properties, size ?? .usual, rate)
    }

    /// Describes a camera that PipeWire shares with other programs.
    /// - Parameters:
    ///   - node: The camera's name or serial number as in `wpctl status`; nil for the preferred camera.
    ///   - size: The size of the pictures; nil for the camera's default.
    ///   - rate: The number of pictures per second; nil for the camera's default.
    /// - Returns: The description. If the camera is absent when the session runs, the session waits for it.
    public static func pipeWire(_ node: String? = nil, size: FrameSize? = nil, rate: Double? = nil) -> Self {
        let properties = ["target-object": node].compactMapValues(\.self)
        return PipelineDescription(camera: "pipewire", node, properties, size, rate)
    }

    /// Lists libcamera's and PipeWire's cameras by `camera.source` setting and display name. Empty without GStreamer.
    package static func cameras() -> [(device: String, name: String)] {
        guard GStreamerPipeline.unavailable == nil, let list = FacetPipelineCameras() else { return [] }
        defer { FacetPipelineFreeText(list) }
        return GStreamerPipeline.cameras(in: String(cString: list))
    }
}

extension String {
    fileprivate var quoted: String { "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }
}

extension PipelineDescription {
    /// Describes a camera. The GStreamer element that opens it is named `kind` + `src`, such as `libcamerasrc`.
    init(camera kind: String, _ id: String?, _ properties: [String: String], _ size: FrameSize?, _ rate: Double?) {
        let pairs = properties.sorted { $0.key < $1.key }.map { "\($0)=\($1.quoted)" }
        var caps = "video/x-raw"
        if let size { caps += ",width=\(size.width),height=\(size.height)" }
        // In thousandths, so that 29.97 is a fraction.
        if let rate { caps += ",framerate=\(Int(exactly: (rate * 1000).rounded()).map { "\($0)/1000" } ?? "\(rate)")" }
        name = [kind, id].compactMap(\.self).joined(separator: ":")
        text = Secret(partly: (["\(kind)src"] + pairs + ["!", caps]).joined(separator: " "))
        isCamera = true
    }

    /// Parses `libcamera`, `libcamera:…`, `pipewire`, `pipewire:…` or `gstreamer:…`; nil for other texts.
    package init?(_ text: String, size: FrameSize? = nil, rate: Double? = nil, controls: [String: String] = [:]) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count > 1 ? String(parts[1]) : nil
        switch (parts[0], rest) {
        case ("libcamera", _): self = .libcamera(rest, size: size, rate: rate, controls: controls)
        case ("pipewire", _): self = .pipeWire(rest, size: size, rate: rate)
        case ("gstreamer", let pipeline?): self = .pipeline(pipeline)
        default: return nil
        }
    }

    /// The Debian packages of the most used elements. For other elements, `apt-file search` finds the package.
    private static let packages = [
        // In Debian bookworm, the plugin does not depend on the modules for image processors.
        "libcamerasrc": "libcamera libcamera-ipa", "pipewiresrc": "pipewire", "rtspsrc": "plugins-good",
        "v4l2src": "plugins-good",
        "jpegdec": "plugins-good", "souphttpsrc": "plugins-good", "h264parse": "plugins-bad", "srtsrc": "plugins-bad",
        "avdec_h264": "libav",
    ]

    /// The command that installs GStreamer with the pipeline's elements, as far as their packages are known.
    package var installation: String {
        let elements = text.revealed().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        let wanted = Set(elements.compactMap { Self.packages[$0] } + ["plugins-base"])
        return (["sudo apt install"] + wanted.sorted().map { "gstreamer1.0-\($0)" }).joined(separator: " ")
    }

    /// Whether GStreamer is installed with all elements of the pipeline.
    package var isInstalled: Bool { (try? GStreamerPipeline(self)) != nil }
}

extension SourceFailure {
    static func unusable(_ pipeline: PipelineDescription, _ reason: String) -> SourceFailure {
        SourceFailure(reason: .unsupported, description: "cannot use \(pipeline.name): \(reason.withoutPasswords).")
    }

    static func missing(_ element: String, in pipeline: PipelineDescription) -> SourceFailure {
        let remedy = "`\(pipeline.installation)`, or the package that holds it; or check its name"
        return unusable(pipeline, "GStreamer has no element \(element): \(remedy)")
    }
}
