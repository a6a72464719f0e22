/// How the frames of a source come; each source takes what applies to its kind.
public struct FrameSourceOptions: Hashable, Sendable {
    /// How fast a file is played.
    public enum Pace: String, Hashable, Sendable, CaseIterable {
        /// As a camera would deliver it; frames that there is no time for are dropped.
        case realtime
        /// As fast as it can be analysed; no frame is dropped.
        case asap
    }

    /// Which pictures of a network stream are decoded while nothing is seen in them.
    public enum IdleDecoding: String, Hashable, Sendable, CaseIterable {
        /// The key pictures, until the sizes of the packets between them say that something happens; all where that
        /// fails.
        case auto
        /// All.
        case always
    }

    /// What decodes the pictures of clips and network streams.
    public enum Decoder: String, Hashable, Sendable, CaseIterable {
        /// Of a live stream a device of this machine where one can, else the processor; of all else the processor.
        case auto
        /// The processor.
        case software
        /// A device of this machine; the processor where that fails, which the stream's description explains.
        case hardware
    }

    /// Pictures that follow each other without any header.
    public struct RawPictures: Hashable, Sendable {
        /// Their size in pixels, rows without gaps.
        public var size: FrameSize
        /// How their pixels lie in memory.
        public var format: PixelFormat
        /// Pictures a second, if known.
        public var rate: Double?

        /// Makes a description of raw pictures.
        public init(size: FrameSize, format: PixelFormat, rate: Double? = nil) {
            (self.size, self.format, self.rate) = (size, format, rate)
        }
    }

    /// How fast a clip plays, or a pipeline that is not live.
    public var pace = Pace.realtime
    /// Whether a clip or a pipeline that is not live begins again at its end, and a picture file stays. Stamps go on
    /// growing.
    public var loops = false
    /// The turn that makes the picture upright, after what the source itself says; a program's own frames say it
    /// themselves.
    public var orientation = Orientation.up
    /// Whether the upright picture, or a program's own frame, is a mirror image. Signs name the person's own eyes all
    /// the same.
    public var isMirrored = false
    /// Which pictures of a network stream are decoded while nothing is seen in them.
    public var idleDecoding = IdleDecoding.auto
    /// What decodes the pictures of clips and network streams.
    public var decoder = Decoder.auto
    /// Whether an `https` or `rtsps` sender needs a certificate of its host, by an authority that is trusted.
    public var verifiesCertificate = true
    /// A PEM file with the authorities that may sign such a certificate; nil for those that this machine trusts.
    public var certificateAuthority: String?
    /// What a command of `exec:` writes that writes pictures without any header.
    public var rawPictures: RawPictures?
    /// How often a second an address is asked that gives one picture at each request; nil for five times.
    public var requestRate: Double?
    /// How long opening may take: a network camera answers late, and a file is searched for its first picture.
    package var openTimeout = Duration.seconds(10)
    /// The time without a picture that can be decoded after which the source counts as lost and, unless it is a file,
    /// is opened again.
    public var stallTimeout = Duration.seconds(2)
    /// The longest wait for a picture of a network stream that comes in bursts, as far as the bursts need it; six times
    /// that with HLS, which comes in segments.
    public var maximumDelay = Duration.seconds(5)
    /// The most pixels of a picture: the 33 million of 8K and some more. Larger ones are refused by their header,
    /// before memory is allocated; not V4L2's, nor a program's own that are no JPEGs.
    public var maximumPixels = JPEGDecoder.defaultMaximumPixels
    /// How stored pictures must be turned, and mirrored.
    package var wholeOrientation: Orientation { isMirrored ? orientation.mirrored : orientation }

    /// Makes options for a source.
    public init(pace: Pace = .realtime, loops: Bool = false) {
        (self.pace, self.loops) = (pace, loops)
    }
}
