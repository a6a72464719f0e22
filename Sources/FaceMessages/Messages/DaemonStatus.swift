/// The daemon's condition, as `faces/status` carries it; what is unknown or has no meaning is nil.
public struct DaemonStatus: Hashable, Sendable, WireValue {
    /// Whether the daemon runs.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// It runs and is connected.
        case online
        /// It ended in good order.
        case stopped
        /// It vanished: only the last will says so.
        case offline
        /// The daemon vanished together with the broker, which cannot say so: nothing came for three intervals of its
        /// figures. Only a subscriber can tell; no daemon publishes it.
        case gone

        /// The states that daemons publish, themselves or by their will.
        public static let allCases: [State] = [.online, .stopped, .offline]
    }

    /// Whether frames come.
    public enum CameraState: String, Hashable, Sendable, CaseIterable {
        /// The source is being opened.
        case starting
        /// Frames come.
        case streaming
        /// No frames, although detection is on; the daemon keeps trying.
        case lost
        /// Detection is off, and the camera closed.
        case disabled
    }

    /// Whether events survive a crash of the daemon.
    public enum Outbox: String, Hashable, Sendable, CaseIterable {
        /// Events are kept in the outbox's file.
        case ok
        /// Events are kept in a new file: the old one was damaged or deleted.
        case restored
        /// Events are in memory only: the file cannot be used, and is tried again every few seconds.
        case memory
    }

    /// The size of a picture.
    public struct Picture: Hashable, Sendable, WireValue {
        /// Pixels from left to right.
        public var width: Int
        /// Pixels from top to bottom.
        public var height: Int

        /// Makes a size from its width and height in pixels.
        public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

        mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
            try wire.field("width", &width, .pixels)
            try wire.field("height", &height, .pixels)
        }
    }

    /// Whether the daemon runs.
    public var state: State
    /// Whether frames come; nil in the last will.
    public var cameraState: CameraState?
    /// A stable word for why the camera is lost.
    public var reason: String?
    /// The reason for people: what was tried, why it failed, what to do; or a description of what is streaming.
    public var detail: String?
    /// The size of the camera's upright picture, to which bounds and points refer; nil unless frames come.
    public var picture: Picture?
    /// Whether detection is on.
    public var detect: Bool?
    /// What counts as a smile; nil in the last will.
    public var smile: SmileSettings?
    /// The topics that are published besides `status`, `stats` and `detect/state`; nil in the last will and before 0.5.
    public var publish: [Topic]?
    /// The daemon's version.
    public var version: String?
    /// Why some events cannot fire at the moment; empty if they all can.
    public var attention: [FaceAttention]?
    /// The number of faces that are there but not seen, and held.
    public var held = 0
    /// Whether events survive a crash; nil in the last will and without a broker.
    public var outbox: Outbox?
    /// What happened to the outbox, for people; nil while all is well.
    public var outboxDetail: String?
    /// The broker that serves, as `host:port`; nil before the first connection.
    public var broker: String?
    /// The longest time, in seconds, between two `stats`; nil in the last will, and before version 0.5.
    public var statsInterval: Double?
    /// The time since when this is so; nil in the last will, which is written before it is known.
    public var time: Timestamp?

    /// Makes a status in which all other values are unknown.
    public init(state: State, cameraState: CameraState? = nil, reason: String? = nil, detail: String? = nil) {
        (self.state, self.cameraState, self.reason, self.detail) = (state, cameraState, reason, detail)
    }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.optional("time", &time, .time)
        try wire.field("state", &state, .word)
        try wire.optional("cameraState", &cameraState, .word)
        try wire.optional("reason", &reason, .name)
        try wire.optional("detail", &detail, .sentence)
        try wire.optional("picture", &picture, .object(Picture(width: 0, height: 0)))
        try wire.optional("detect", &detect, .onOff)
        try wire.optional("smile", &smile, .object(SmileSettings()))
        try wire.optional("publish", &publish, .words())
        try wire.optional("version", &version, .name)
        try wire.optional("attention", &attention, .words())
        try wire.field("held", &held, .counter, or: 0, isWritten: held > 0)
        try wire.optional("outbox", &outbox, .word)
        try wire.optional("outboxDetail", &outboxDetail, .sentence)
        try wire.optional("broker", &broker, .name)
        try wire.optional("statsInterval", &statsInterval, .seconds)
    }
}
