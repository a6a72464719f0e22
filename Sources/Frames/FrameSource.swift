/// Where frames come from: a camera, a clip, a stream.
///
/// A source runs on a thread of its own: it blocks in system calls, and Swift's shared threads must not.
package protocol FrameSource: AnyObject, Sendable {
    /// Delivers frames and changes of state until the source ends or is stopped; blocks.
    ///
    /// The last thing it puts into the mailbox is `.ended`, exactly once, however it ends.
    func run(into mailbox: FrameMailbox)

    /// Makes `run` end soon; can be called from any thread, more than once, before `run` too.
    func stop()
}

/// What a source reports, in order.
package enum SourceEvent: Sendable {
    /// Frames are about to come, in this form.
    case streaming(StreamDescription)
    case frame(Frame)
    /// No frames until further notice; the source goes on trying.
    case lost(SourceFailure)
    /// Nothing comes any more.
    case ended(SourceEnd)
}

package enum SourceEnd: Sendable {
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

/// Why a source has no frames: one word for programs, one paragraph for people.
public struct SourceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable word that says what kind of failure this is (`unplugged`, `busy`, `corrupt`).
    public var reason: String

    /// What was tried, on what, why it failed and what to do about it.
    public var description: String

    /// Makes a failure from a stable word and a paragraph for people.
    public init(reason: String, description: String) {
        self.reason = reason
        self.description = description
    }
}
