import MediaFiles

extension FaceSession {
    /// The source of a session's frames.
    public struct Source: Hashable, Sendable {
        fileprivate enum Kind: Hashable, Sendable {
            case camera(CameraConfiguration)
            case media(Secret)
            case pipeline(PipelineDescription)
            case custom(CustomSource)
        }

        fileprivate var kind: Kind
        /// The options for the frames, such as orientation, pace and the time-out until the source counts as lost.
        public var options: FrameSourceOptions

        /// A camera of this machine, in the mode that suits faces best.
        public static func camera(_ device: DeviceSelector = .automatic) -> Source {
            camera(CameraConfiguration(device: device))
        }

        /// A camera of this machine with the given size, rate, format and controls.
        public static func camera(_ configuration: CameraConfiguration) -> Source {
            Source(kind: .camera(configuration))
        }

        /// A clip or a picture file, which is opened when a session is made with it. The path may also be a stream's
        /// address. If that stream is live, the source is like one made by `stream`.
        public static func file(_ path: String, pace: FrameSourceOptions.Pace = .asap, loops: Bool = false) -> Source {
            Source(kind: .media(Secret(partly: path)), pace: pace, loops: loops)
        }

        /// A network stream, which is reopened whenever it is lost, or the output of a command.
        /// - Parameter address: An address that begins with `rtsp://`, `rtsps://`, `http://` or `https://`; or `exec:`
        ///   and a shell command that writes MJPEG, H.264 or YUV4MPEG to its standard output, and is restarted whenever
        ///   it ends.
        /// - Returns: The source. Its address is checked when a session is made, and opened when the session runs.
        public static func stream(_ address: String) -> Source { file(address, pace: .realtime) }

        /// A camera of libcamera or PipeWire, or any GStreamer pipeline. GStreamer must be installed.
        /// - Returns: The source. The description is checked when a session is made with it.
        public static func pipeline(
            _ description: PipelineDescription,
            pace: FrameSourceOptions.Pace = .realtime,
            loops: Bool = false
        ) -> Source {
            Source(kind: .pipeline(description), pace: pace, loops: loops)
        }

        /// A program's own source of frames. Two such sources are equal if they wrap the same object.
        public static func custom(_ source: any FrameSource) -> Source {
            Source(kind: .custom(CustomSource(source: source)))
        }

        /// Whether a text names a V4L2 camera: `auto`, or a path in `/dev`.
        package static func isCamera(_ text: String) -> Bool { text == "auto" || text.hasPrefix("/dev/") }

        /// Makes the source that a user names: `auto`, `/dev/video0`, `libcamera`, `pipewire`, `gstreamer:…`, `exec:…`,
        /// `clip.mp4` or `rtsp://…`. The pace applies to clips only.
        public init(_ text: String, pace: FrameSourceOptions.Pace = .asap) {
            self.init(text, configuration: CameraConfiguration(), options: FrameSourceOptions(pace: pace))
        }

        /// Makes the source that a text names, with a camera's configuration. V4L2 uses all of it, libcamera the size,
        /// rate and controls, PipeWire the size and rate, and a command's raw pictures the size, rate and format.
        package init(_ text: String, configuration: CameraConfiguration, options: FrameSourceOptions) {
            self.options = options
            let request = configuration.request
            let controls = configuration.controls
            let pipeline = PipelineDescription(text, size: request.size, rate: request.rate, controls: controls)
            if Self.isCamera(text) {
                var configuration = configuration
                configuration.device = DeviceSelector(text)
                kind = .camera(configuration)
            } else if let pipeline {
                kind = .pipeline(pipeline)
            } else {
                kind = .media(Secret(partly: text))
                // With a raw format set, a command's pictures have no header.
                self.options.requestRate = request.rate
                self.options.rawPictures = request.format.flatMap(\.rawPixels)
                    .map { .init(size: request.size ?? .usual, format: $0, rate: request.rate) }
            }
        }

        private init(kind: Kind, pace: FrameSourceOptions.Pace = .asap, loops: Bool = false) {
            self.kind = kind
            options = FrameSourceOptions(pace: pace, loops: loops)
        }
    }
}

/// A program's own source, compared by identity.
private struct CustomSource: Hashable, Sendable {
    let source: any FrameSource

    static func == (left: CustomSource, right: CustomSource) -> Bool { left.source === right.source }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }
}

extension FaceSession.Source {
    var isCamera: Bool { if case .camera = kind { true } else { false } }

    /// Whether the source is opened or checked as soon as a session is made with it.
    var opensAtOnce: Bool {
        switch kind {
        case .media, .pipeline: true
        case .camera, .custom: false
        }
    }

    /// The maximum number of pixels of a JPEG that is decoded; unlimited for a V4L2 camera.
    var maximumPixels: Int { isCamera ? .max : options.maximumPixels }

    /// Whether frames may come from a camera with an infrared lamp, which may light only every other frame.
    var mayHaveLamp: Bool { if case .media = kind { false } else { true } }

    /// The options with `stallTimeout` limited to eleven days, so that no conversion to another unit overflows.
    var boundedOptions: FrameSourceOptions {
        var bounded = options
        bounded.stallTimeout = min(options.stallTimeout, .seconds(1_000_000))
        return bounded
    }

    /// Opens the source, except a V4L2 camera, which opens when it runs. `memory` tells which camera was used before.
    func open(_ memory: CameraMemory) throws(FaceSessionError) -> any FrameSource {
        try check()
        let options = boundedOptions
        switch kind {
        case .camera(let configuration):
            return try failing(as: { FaceSessionError.source($0.sourceFailure) }) { () throws(V4L2Error) in
                try CameraSource(configuration, options, memory: memory) { Self.libcamera(configuration, options) }
            }
        case .media(let location):
            do { return try ClipSource(location.revealed(), options: options) } catch { throw .source(error) }
        case .pipeline(let description):
            do { return try PipelineSource(description, options: options) } catch { throw .source(error) }
        case .custom(let custom): return custom.source
        }
    }

    /// Makes a source of the first camera that libcamera lists; nil if there is none.
    private static func libcamera(_ wanted: CameraConfiguration, _ options: FrameSourceOptions) -> (any FrameSource)? {
        guard PipelineDescription.cameras().contains(where: { $0.device.hasPrefix("libcamera") }) else { return nil }
        return try? PipelineSource(.libcamera(size: wanted.request.size, rate: wanted.request.rate), options: options)
    }

    /// Returns the reason why a text can never name a source; nil if it can.
    package static func problem(with text: String) -> String? {
        guard case .media(let location) = Self(text).kind else { return nil }
        do throws(SourceFailure) { try ClipSource.check(location.revealed()) } catch { return error.description }
        return nil
    }

    /// Checks the numbers that a program has set, so that no later code can trap on them.
    func check() throws(FaceSessionError) {
        let sides = 1...32_767
        let pixels = 1...Int(Int32.max)
        try require(options.stallTimeout, "stallTimeout", "above 0") { $0 > .zero }
        try require(options.maximumDelay, "maximumDelay", "0 to 60 s") { (.zero ... .seconds(60)) ~= $0 }
        try require(options.maximumPixels, "maximumPixels", "1 to \(pixels.upperBound)") { pixels ~= $0 }
        try require(options.requestRate, "requestRate", "0.001 to 10000") { 0.001...10_000 ~= $0 }
        guard case .camera(let camera) = kind else { return }
        try require(camera.request.size, "request.size", "1x1 to 32767x32767") {
            sides ~= $0.width && sides ~= $0.height
        }
        try require(camera.request.rate, "request.rate", "above 0, up to 10000") { $0 > 0 && $0 <= 10_000 }
        try require(camera.bufferCount, "bufferCount", "2 to 32") { 2...32 ~= $0 }
    }
}
