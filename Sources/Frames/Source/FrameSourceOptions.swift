/// The options for the frames of a source; each source uses those that apply to its kind.
public struct FrameSourceOptions: Hashable, Sendable {
    /// The speed at which a file is played.
    public enum Pace: String, Hashable, Sendable, CaseIterable {
        /// The speed of a camera; frames that there is no time for are dropped.
        case realtime
        /// The speed of the analysis; no frame is dropped.
        case asap
    }

    /// The pictures of a network stream that are decoded while no face is seen in them.
    public enum IdleDecoding: String, Hashable, Sendable, CaseIterable {
        /// The key pictures only, until the sizes of the packets between them show that something happens; then all.
        case auto
        /// All pictures.
        case always
    }

    /// The decoder for the pictures of clips and network streams.
    public enum Decoder: String, Hashable, Sendable, CaseIterable {
        /// A device of this machine for a live stream, where one can; else the processor.
        case auto
        /// The processor.
        case software
        /// A device of this machine; the processor if that fails, which the stream's description explains.
        case hardware
    }

    /// Pictures that follow each other without any header.
    public struct RawPictures: Hashable, Sendable {
        /// The size in pixels; the rows have no gaps.
        public var size: FrameSize
        /// The layout of the pixels in memory.
        public var format: PixelFormat
        /// Pictures a second, if known.
        public var rate: Double?

        /// Makes a description of raw pictures.
        public init(size: FrameSize, format: PixelFormat, rate: Double? = nil) {
            (self.size, self.format, self.rate) = (size, format, rate)
        }
    }

    /// The speed at which a clip plays, or a pipeline that is not live.
    public var pace = Pace.realtime
    /// Whether a clip, or a pipeline that is not live, begins again at its end, with growing stamps, and a picture
    /// stays.
    public var loops = false
    /// The turn that makes pictures upright, after what the source itself says; a program's own frames say theirs.
    public var orientation = Orientation.up
    /// Whether the upright picture is mirrored left to right, or a program's own frames are mirror images. Signs name
    /// the person's own eyes all the same.
    public var isMirrored = false
    /// The pictures of a network stream that are decoded while no face is seen in them.
    public var idleDecoding = IdleDecoding.auto
    /// The decoder for the pictures of clips and network streams.
    public var decoder = Decoder.auto
    /// Whether an `https` or `rtsps` sender must have a certificate for its host from an authority trusted here.
    public var verifiesCertificate = true
    /// A PEM file with the authorities that may sign such a certificate; nil for those of this machine.
    public var certificateAuthority: String?
    /// The form of the pictures that a command of `exec:` writes without any header.
    public var rawPictures: RawPictures?
    /// The requests a second to an address that gives one picture for each; nil means five.
    public var requestRate: Double?
    /// The longest time for opening: a network camera answers late, and a file is searched for its first picture.
    package var openTimeout = Duration.seconds(10)
    /// The longest time without a decodable picture, after which the source is lost and, unless a file, opened again.
    public var stallTimeout = Duration.seconds(2)
    /// The longest time for which pictures of a network stream that come in bursts wait for later ones; six times as
    /// long with HLS, which comes in segments.
    public var maximumDelay = Duration.seconds(5)
    /// The most pixels of a picture, unless it is a V4L2 camera's or a program's own and not a JPEG: the 33 million of
    /// 8K and some more. Larger ones are refused by their header, before memory is allocated.
    public var maximumPixels = JPEGDecoder.defaultMaximumPixels
    /// How stored pictures must be turned, and mirrored.
    package var wholeOrientation: Orientation { isMirrored ? orientation.mirrored : orientation }

    /// Makes options for a source.
    public init(pace: Pace = .realtime, loops: Bool = false) {
        self.pace = pace
        self.loops = loops
    }
}
