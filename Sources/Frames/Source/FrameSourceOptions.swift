/// How the frames of a source come; each source takes what applies to its kind.
public struct FrameSourceOptions: Hashable, Sendable {
    /// How fast a file is played.
    public enum Pace: String, Hashable, Sendable, CaseIterable {
        /// The speed of a camera; frames that there is no time for are dropped.
        case realtime
        /// The speed of the analysis; no frame is dropped.
        case asap
    }

    /// Which pictures of a network stream are decoded while nothing is seen in them.
    public enum IdleDecoding: String, Hashable, Sendable, CaseIterable {
        /// The key pictures, until the packets between them show by their sizes that something happens; else all.
        case auto
        /// All.
        case always
    }

    /// What decodes the pictures of clips and network streams.
    public enum Decoder: String, Hashable, Sendable, CaseIterable {
        /// A device of this machine for a live stream, where one can; else the processor.
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
    /// Whether a clip, or a pipeline that is not live, begins again at its end, and a picture stays. Stamps grow on.
    public var loops = false
    /// The turn that makes pictures upright, after what the source itself says; a program's own frames say theirs.
    public var orientation = Orientation.up
    /// Whether the upright picture is mirrored left to right, or a program's own frames are mirror images. Signs name
    /// the person's own eyes all the same.
    public var isMirrored = false
    /// Which pictures of a network stream are decoded while nothing is seen in them.
    public var idleDecoding = IdleDecoding.auto
    /// What decodes the pictures of clips and network streams.
    public var decoder = Decoder.auto
    /// Whether an `https` or `rtsps` sender needs a certificate of its host, by an authority that this machine trusts.
    public var verifiesCertificate = true
    /// A PEM file with the authorities that may sign such a certificate; nil for those of this machine.
    public var certificateAuthority: String?
    /// What a command of `exec:` writes that writes pictures without any header.
    public var rawPictures: RawPictures?
    /// How often a second an address is asked that gives one picture at each request; nil for five times.
    public var requestRate: Double?
    /// How long opening may take: a network camera answers late, and a file is searched for its first picture.
    package var openTimeout = Duration.seconds(10)
    /// The longest time without a picture that can be decoded, after which the source counts as lost and, unless it is
    /// a file, is opened again.
    public var stallTimeout = Duration.seconds(2)
    /// The longest time for which pictures of a network stream that come in bursts wait for later ones; six times as
    /// long with HLS, which comes in segments.
    public var maximumDelay = Duration.seconds(5)
    /// The most pixels of a picture, unless it is a V4L2 camera's or a program's own and no JPEG: the 33 million of 8K
    /// and some more. Larger ones are refused by their header, before memory is allocated.
    public var maximumPixels = JPEGDecoder.defaultMaximumPixels
    /// How stored pictures must be turned, and mirrored.
    package var wholeOrientation: Orientation { isMirrored ? orientation.mirrored : orientation }

    /// Makes options for a source.
    public init(pace: Pace = .realtime, loops: Bool = false) {
        (self.pace, self.loops) = (pace, loops)
    }
}
