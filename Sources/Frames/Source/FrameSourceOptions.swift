/// The options of a source of frames. Each kind of source uses those that apply to it.
public struct FrameSourceOptions: Hashable, Sendable {
    /// The speed at which a clip is played.
    public enum Pace: String, Hashable, Sendable, CaseIterable {
        /// The clip's own speed, as if it came from a camera. Frames that are not analysed in time are dropped.
        case realtime
        /// The highest speed at which all frames can be analysed. No frame is dropped.
        case asap
    }

    /// The choice of the pictures of a network stream that are decoded while no face is seen.
    public enum IdleDecoding: String, Hashable, Sendable, CaseIterable {
        /// Only key frames, until the packet sizes show that something happens. Then all pictures are decoded.
        case auto
        /// All pictures.
        case always
    }

    /// The choice between hardware and software for decoding clips and network streams.
    public enum Decoder: String, Hashable, Sendable, CaseIterable {
        /// Hardware for live streams larger than 640x480 if this machine can decode them, otherwise software.
        case auto
        /// Software, on the processor.
        case software
        /// Hardware, such as a graphics chip. If it fails, software takes over, and the stream's description says why.
        case hardware
    }

    /// The layout of raw pictures, which follow each other without headers.
    public struct RawPictures: Hashable, Sendable {
        /// The size in pixels. There are no gaps between the rows.
        public var size: FrameSize
        /// The layout of the pixels in memory.
        public var format: PixelFormat
        /// The number of pictures per second; nil if unknown.
        public var rate: Double?

        /// Makes the description of a layout of raw pictures.
        public init(size: FrameSize, format: PixelFormat, rate: Double? = nil) {
            (self.size, self.format, self.rate) = (size, format, rate)
        }
    }

    /// The speed at which a clip, or a GStreamer pipeline that is not live, is played.
    public var pace = Pace.realtime
    /// Whether a clip, or a GStreamer pipeline that is not live, starts again at its end, with increasing stamps. A
    /// picture file then lasts forever instead of for a second.
    public var loops = false
    /// The turn that makes pictures upright, after the one that the source states; ignored for a program's own frames.
    public var orientation = Orientation.up
    /// Whether the upright picture is to be mirrored left to right. For a program's own frames: whether they are
    /// already mirror images. Winks are reported for the person's own left or right eye in any case.
    public var isMirrored = false
    /// The pictures of a network stream that are decoded while no face is seen.
    public var idleDecoding = IdleDecoding.auto
    /// The choice between hardware and software for decoding clips and network streams.
    public var decoder = Decoder.auto
    /// Whether an `https` or `rtsps` sender must have a certificate for its host from a trusted authority.
    public var verifiesCertificate = true
    /// The path of a PEM file with the trusted certificate authorities; nil for those that this machine trusts.
    public var certificateAuthority: String?
    /// The layout of the pictures that an `exec:` command writes without headers; nil if its output has headers.
    public var rawPictures: RawPictures?
    /// The number of requests per second to an address that returns one picture, 0.001 to 10000; nil means 5.
    public var requestRate: Double?
    /// The maximum time from opening a source to its first picture. Network cameras may answer late.
    package var openTimeout = Duration.seconds(10)
    /// The maximum time without a decodable picture. After it, the source counts as lost; only a file is not reopened.
    public var stallTimeout = Duration.seconds(2)
    /// The maximum delay for spreading a network stream's bursts of pictures evenly; six times as long for HLS.
    public var maximumDelay = Duration.seconds(5)
    /// The maximum number of pixels of a picture, by default somewhat more than 8K has. Larger pictures are refused.
    /// The limit does not apply to V4L2 cameras, nor to a program's own frames that are not JPEGs.
    public var maximumPixels = JPEGDecoder.defaultMaximumPixels
    /// The turn and the mirroring that these options ask for, as one orientation.
    package var wholeOrientation: Orientation { isMirrored ? orientation.mirrored : orientation }

    /// Makes options with a pace and looping, and defaults for the others.
    public init(pace: Pace = .realtime, loops: Bool = false) {
        self.pace = pace
        self.loops = loops
    }
}
