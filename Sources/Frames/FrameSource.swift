/// Where frames come from: a camera, a clip, a stream, a program's own pictures.
///
/// A session runs a source on a thread of its own, so it may block.
public protocol FrameSource: AnyObject, Sendable {
    /// Delivers frames until the source ends, it is stopped, or `put` returns false.
    ///
    /// It puts `.streaming` before the first frame, and again whenever what it says has changed or frames come again after
    /// `.lost`. What it puts last is `.ended`; a source that just returns came to its end. Each run of a session, and each end
    /// of a pause, calls it again.
    func run(into mailbox: FrameMailbox)

    /// Makes the `run` in progress end soon; can be called from any thread, and while `run` is not running.
    ///
    /// A call that comes before `run` need not be remembered: a session calls this until `run` has returned. A source that only waits
    /// in `put` need do nothing: the session closes the mailbox, and `put` returns false.
    func stop()
}

/// What a source reports, in order.
public enum SourceEvent: Sendable {
    /// Frames are about to come, in this form.
    case streaming(StreamDescription)
    case frame(Frame)
    /// No frames until further notice; the source goes on trying.
    case lost(SourceFailure)
    /// Nothing comes any more.
    case ended(SourceEnd)
}

/// How fast a file is played.
public enum PlaybackPace: String, Hashable, Sendable, CaseIterable {
    /// As a camera would deliver it; frames that there is no time for are dropped.
    case realtime
    /// As fast as it can be analysed; no frame is dropped.
    case asap
}

/// Which pictures of a network stream are decoded while nothing is seen in them.
public enum IdleDecodingPolicy: String, Hashable, Sendable, CaseIterable {
    /// The key pictures, until the sizes of the packets between them tell that something happens; the others where that works not.
    case auto
    /// All.
    case always
}

/// Why a source ended.
public enum SourceEnd: Hashable, Sendable {
    /// A clip came to its end.
    case finished
    /// `stop()` was called.
    case stopped
    /// The source cannot go on; what came before stands.
    case failed(SourceFailure)
}

/// What a source streams, for logs and the status.
public struct StreamDescription: Hashable, Sendable {
    /// The device, file or address, without credentials.
    public var name: String

    /// The size of the frames as stored.
    public var size: FrameSize

    /// The pixel format or codec, as its field names it (`YUYV`, `MJPG`, `h264`).
    public var format: String

    /// Frames per second, if the source says.
    public var rate: Double?

    /// How the frames must be turned to be upright.
    public var orientation: Orientation

    /// Whether frames come at their own time, and are dropped if they come too fast; otherwise the source waits until each
    /// was taken.
    public var isLive: Bool

    /// The size of the upright frames.
    public var uprightSize: FrameSize { orientation.uprightSize(of: size) }

    /// The description on one line: `/dev/video0: YUYV 640x480 at 30.0 frames/s`.
    public var summary: String {
        let rate = rate.map { " at \(($0 * 100).rounded() / 100) frames/s" } ?? ""
        return "\(name): \(format) \(size)\(rate)"
    }

    /// Makes a description of a stream.
    public init(
        name: String,
        size: FrameSize,
        format: String,
        rate: Double?,
        orientation: Orientation = .up,
        isLive: Bool = true
    ) {
        self.name = name
        self.size = size
        self.format = format
        self.rate = rate
        self.orientation = orientation
        self.isLive = isLive
    }
}

/// Why a source has no frames: a reason for programs, one paragraph for people.
public struct SourceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kinds of failure there are; the words are those of the published status.
    public enum Reason: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// There is no such camera or file.
        case notFound = "not_found"
        /// The camera was taken away while in use.
        case unplugged
        /// The camera may not be opened.
        case permissionDenied = "permission_denied"
        /// Another program uses the camera.
        case busy
        /// The node is no camera.
        case notACamera = "not_a_camera"
        /// The camera lacks the mode that was asked for.
        case unsupportedMode = "unsupported_mode"
        /// A control of the camera cannot be set as asked.
        case unsupportedControl = "unsupported_control"
        /// No whole frame came for too long.
        case stalled
        /// The camera's driver failed.
        case driverError = "driver_error"
        /// The file may not be read, or is none.
        case unreadable
        /// The file is damaged or of no known format.
        case corrupt
        /// The file has no pictures.
        case noVideo = "no_video"
        /// The file, address or format is of a kind that cannot be used.
        case unsupported
        /// The stream's sender cannot be reached.
        case unreachable
        /// The stream broke off.
        case streamLost = "stream_lost"
        /// Frames come, but cannot be decoded.
        case undecodable
        /// The file cannot be written.
        case unwritable
        /// Another failure, of a source that a program made.
        case other

        /// The word that the status has.
        public var description: String { rawValue }
    }

    /// What kind of failure this is.
    public var reason: Reason

    /// What was tried, on what, why it failed and what to do about it.
    public var description: String

    /// Makes a failure from its kind and a paragraph for people.
    public init(reason: Reason, description: String) {
        self.reason = reason
        self.description = description
    }

    /// The pictures of a source are larger than the settings allow.
    package static func tooLarge(_ name: String, _ size: FrameSize, limit: Int) -> Self {
        let remedy = "make them smaller, or raise the limit if this machine has the memory"
        let text = "cannot use \(name): \(tooManyPixels(size, limit: limit)); \(remedy)."
        return Self(reason: .unsupported, description: text)
    }

    /// What is wrong with pictures of such a size.
    package static func tooManyPixels(_ size: FrameSize, limit: Int) -> String {
        "its pictures are \(size), more than the \(limit) pixels allowed"
    }
}
