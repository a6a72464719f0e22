public import Frames
public import GStreamerCapture
import MediaFiles
public import V4L2Capture

extension FaceSession {
    /// Where a session's frames come from.
    public struct Source: Hashable, Sendable {
        fileprivate enum Kind: Hashable, Sendable {
            case camera(CameraConfiguration)
            case media(String)
            case pipeline(PipelineDescription)
            case custom(CustomSource)
        }

        /// How many pixels a picture may have unless the program says otherwise: somewhat more than the 33 million of 8K.
        public static let defaultMaximumPixels = JPEGDecoder.defaultMaximumPixels

        fileprivate var kind: Kind
        /// What does not depend on the kind; a camera has its configuration instead.
        fileprivate var options = FrameSourceOptions()

        /// A camera of this machine, with the mode that suits faces best.
        public static func camera(_ device: DeviceSelector = .automatic) -> Source {
            camera(CameraConfiguration(device: device))
        }

        /// A camera of this machine with size, rate, format and controls as given.
        public static func camera(_ configuration: CameraConfiguration) -> Source {
            Source(kind: .camera(configuration))
        }

        /// A clip or a still picture.
        ///
        /// An address of a stream may be given too: what turns out to be live when it is opened is treated as with `stream`,
        /// whatever the pace.
        ///
        /// - Parameters:
        ///   - path: The file's path, or an address as for `stream`.
        ///   - pace: How fast a clip is played.
        ///   - loops: Whether a clip starts again at its end, and a still picture stays.
        ///   - rawPictures: As for `stream`.
        ///   - orientation: How the picture must be turned after what the file itself says.
        ///   - isMirrored: Whether the upright picture is mirrored left to right.
        ///   - stallTimeout: For how long frames may come that cannot be decoded, or none from the network, before the source
        ///     counts as lost.
        ///   - maximumPixels: How many pixels a picture may have; larger ones are refused by their header.
        ///   - idleDecoding: Which pictures of a stream are decoded while nothing is seen in them.
        ///   - verifiesCertificate: Whether the certificate of an `https` or `rtsps` sender is checked.
        /// - Returns: The source; a file is opened when a session is made with it.
        public static func file(
            _ path: String,
            pace: PlaybackPace = .asap,
            loops: Bool = false,
            rawPictures: RawPictures? = nil,
            orientation: Orientation = .up,
            isMirrored: Bool = false,
            stallTimeout: Duration = .seconds(2),
            maximumPixels: Int = defaultMaximumPixels,
            idleDecoding: IdleDecodingPolicy = .auto,
            verifiesCertificate: Bool = true
        ) -> Source {
            var source = Source(kind: .media(path), options: FrameSourceOptions(pace: pace, loops: loops))
            source.options.rawPictures = rawPictures
            source.options.orientation = isMirrored ? orientation.mirrored : orientation
            source.options.stallTimeout = bounded(stallTimeout)
            source.options.maximumPixels = maximumPixels
            source.options.idleDecoding = idleDecoding
            source.options.verifiesCertificate = verifiesCertificate
            return source
        }

        /// A network stream, which is opened again whenever it is lost, or a command's output.
        ///
        /// - Parameters:
        ///   - address: Begins with `rtsp://`, `rtsps://`, `http://` or `https://`; or `exec:` and a command for the shell, which
        ///     writes MJPEG, H.264 or YUV4MPEG to its standard output and is started again whenever it ends.
        ///   - rawPictures: What a command writes instead, without any header.
        ///   - orientation: How the picture must be turned to be upright.
        ///   - isMirrored: Whether the upright picture is mirrored left to right.
        ///   - stallTimeout: After how long without a picture the stream is lost, and opened again.
        ///   - maximumPixels: How many pixels a picture may have; larger ones are refused by their header.
        ///   - idleDecoding: Which pictures of a stream are decoded while nothing is seen in them.
        ///   - verifiesCertificate: Whether the certificate of an `https` or `rtsps` sender is checked.
        /// - Returns: The source; the address is checked when a session is made with it, and opened when that runs.
        public static func stream(
            _ address: String,
            rawPictures: RawPictures? = nil,
            orientation: Orientation = .up,
            isMirrored: Bool = false,
            stallTimeout: Duration = .seconds(2),
            maximumPixels: Int = defaultMaximumPixels,
            idleDecoding: IdleDecodingPolicy = .auto,
            verifiesCertificate: Bool = true
        ) -> Source {
            file(
                address,
                pace: .realtime,
                rawPictures: rawPictures,
                orientation: orientation,
                isMirrored: isMirrored,
                stallTimeout: stallTimeout,
                maximumPixels: maximumPixels,
                idleDecoding: idleDecoding,
                verifiesCertificate: verifiesCertificate
            )
        }

        /// A camera of libcamera or PipeWire, or any GStreamer pipeline; needs GStreamer on the machine.
        ///
        /// - Parameters:
        ///   - description: Which one.
        ///   - pace: How fast a pipeline plays that is not live.
        ///   - loops: Whether one that is not live starts again at its end.
        ///   - orientation: How the picture must be turned to be upright.
        ///   - stallTimeout: After how long without a picture it is lost, and made again.
        ///   - maximumPixels: How many pixels a picture may have.
        /// - Returns: The source; the description is checked when a session is made with it.
        public static func pipeline(
            _ description: PipelineDescription,
            pace: PlaybackPace = .realtime,
            loops: Bool = false,
            orientation: Orientation = .up,
            stallTimeout: Duration = .seconds(2),
            maximumPixels: Int = defaultMaximumPixels
        ) -> Source {
            var source = file(
                "",
                pace: pace,
                loops: loops,
                orientation: orientation,
                stallTimeout: stallTimeout,
                maximumPixels: maximumPixels
            )
            source.kind = .pipeline(description)
            return source
        }

        /// Frames that a program makes itself.
        ///
        /// Two such sources are the same if they have the same object.
        public static func custom(_ source: any FrameSource) -> Source {
            Source(kind: .custom(CustomSource(source: source)))
        }

        /// Whether a text names a camera: `auto` or something in `/dev`; any other names a clip or a stream.
        package static func isCamera(_ text: String) -> Bool { text == "auto" || text.hasPrefix("/dev/") }

        /// The source that a person means by a text: `auto`, `/dev/video0`, `libcamera`, `pipewire`, `gstreamer:…`, `exec:…`,
        /// `clip.mp4`, `rtsp://…`; a clip in real time.
        public init(_ text: String) {
            if let description = PipelineDescription(text) {
                self = .pipeline(description)
            } else {
                self = Self.isCamera(text) ? .camera(DeviceSelector(text)) : .file(text, pace: .realtime)
            }
        }

        private init(kind: Kind, options: FrameSourceOptions = FrameSourceOptions()) {
            self.kind = kind
            self.options = options
        }
    }
}

/// A source of a program's own, by its identity.
private struct CustomSource: Hashable, Sendable {
    let source: any FrameSource

    static func == (left: CustomSource, right: CustomSource) -> Bool { left.source === right.source }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }
}

extension FaceSession.Source {
    var isCamera: Bool {
        if case .camera = kind { true } else { false }
    }

    /// Whether it is opened, and so checked, when a session is made with it.
    var opensAtOnce: Bool {
        switch kind {
        case .media, .pipeline: true
        case .camera, .custom: false
        }
    }

    /// What holds until the source says whether it is live.
    var mailboxPolicy: FrameMailbox.Policy { isCamera ? .newest : .every(capacity: 2) }

    /// Whether its pictures may be those of a camera with an infrared lamp, which flashes for every other one.
    var mayHaveLamp: Bool {
        if case .media = kind { false } else { true }
    }

    /// After how long without a picture the source counts as lost.
    var stallTimeout: Duration {
        if case .camera(let configuration) = kind { configuration.stallTimeout } else { options.stallTimeout }
    }

    /// Makes the source. A camera's opens when it runs; `memory` says which one was in use before.
    func open(_ memory: CameraMemory) throws(FaceSessionError) -> any FrameSource {
        try check()
        switch kind {
        case .camera(let wanted):
            var bounded = wanted
            bounded.stallTimeout = Self.bounded(wanted.stallTimeout)
            let configuration = bounded
            return try failing(as: { .source($0.sourceFailure) }) { () throws(V4L2Error) in
                try CameraSource(configuration, memory: memory) { Self.ribbonCamera(configuration) }
            }
        case .media(let location):
            do { return try ClipSource(location, options: options) } catch { throw .source(error) }
        case .pipeline(let description):
            do { return try PipelineSource(description, options: options) } catch { throw .source(error) }
        case .custom(let custom): return custom.source
        }
    }

    /// The first camera of libcamera, if that lists one.
    private static func ribbonCamera(_ wanted: CameraConfiguration) -> (any FrameSource)? {
        guard PipelineDescription.cameras().contains(where: { $0.device.hasPrefix("libcamera") }) else { return nil }
        var options = FrameSourceOptions()
        (options.orientation, options.stallTimeout) = (wanted.orientation, wanted.stallTimeout)
        return try? PipelineSource(.libcamera(size: wanted.request.size, rate: wanted.request.rate), options: options)
    }

    /// Eleven days are as good as for ever, and can be counted in any unit.
    private static func bounded(_ timeout: Duration) -> Duration { min(timeout, .seconds(1_000_000)) }
}

extension FaceSession.Source {
    func check() throws(FaceSessionError) {
        let sides = 1...32_767
        switch kind {
        case .camera(let camera):
            if let size = camera.request.size {
                try require(sides ~= size.width && sides ~= size.height, "request.size", size, "1x1 to 32767x32767")
            }
            if let rate = camera.request.rate {
                try require(rate > 0 && rate <= 10_000, "request.rate", rate, "above 0, up to 10000")
            }
            try require(2...32 ~= camera.bufferCount, "bufferCount", camera.bufferCount, "2 to 32")
        case .media, .pipeline, .custom: break
        }
        try require(stallTimeout > .zero, "stallTimeout", stallTimeout, "above 0")
        let (pixels, limit) = (options.maximumPixels, Int(Int32.max))
        try require(1...limit ~= pixels, "maximumPixels", pixels, "1 to \(limit)")
    }
}
