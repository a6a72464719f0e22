/// The condition of the daemon and its camera: the payload of `faces/status`. Unknown or inapplicable values are nil.
public struct DaemonStatus: Hashable, Sendable, WireValue {
    /// The condition of the daemon.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The daemon is running and connected.
        case online
        /// The daemon exited normally.
        case stopped
        /// The daemon disappeared without exiting normally. Only its last will states this.
        case offline
        /// The daemon disappeared together with the broker, so that no last will was published. Subscribers conclude
        /// this after three statistics intervals without a message; daemons never publish it.
        case gone

        /// The states that daemons publish, themselves or by their last will.
        public static let allCases: [State] = [.online, .stopped, .offline]
    }

    /// The condition of the camera or other source.
    public enum CameraState: String, Hashable, Sendable, CaseIterable {
        /// The source is being opened.
        case starting
        /// Frames arrive.
        case streaming
        /// No frames arrive although detection is on. The daemon keeps trying.
        case lost
        /// Detection is switched off and the camera closed.
        case disabled
    }

    /// The condition of the outbox, which keeps events until the broker has them.
    public enum Outbox: String, Hashable, Sendable, CaseIterable {
        /// Events are in the outbox's file, where they survive a crash of the daemon.
        case ok
        /// Events are in a new file, because the old one was damaged or deleted.
        case restored
        /// Events are in memory only, because the file cannot be used. It is tried again every few seconds.
        case memory
    }

    /// The size of a picture, in pixels.
    public struct Picture: Hashable, Sendable, WireValue {
        /// The number of pixels from left to right.
        public var width: Int
        /// The number of pixels from top to bottom.
        public var height: Int

        /// Makes a size from its width and height in pixels.
        public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

        mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
            try wire.field("width", &width, .pixels)
            try wire.field("height", &height, .pixels)
        }
    }

    /// Whether the daemon is running.
    public var state: State
    /// Whether frames arrive; nil in the last will.
    public var cameraState: CameraState?
    /// The reason why the camera is lost, as a fixed word for programs.
    public var reason: String?
    /// Text for users: why the camera is lost and what to do, or a description of what is streaming.
    public var detail: String?
    /// The size of the camera's upright picture, to which bounds and points refer; nil unless frames arrive.
    public var picture: Picture?
    /// Whether detection is on.
    public var detect: Bool?
    /// The settings of what counts as a smile; nil in the last will.
    public var smile: SmileSettings?
    /// The topics published besides `status`, `stats` and `detect/state`; nil in the last will and before version 0.5.
    public var publish: [Topic]?
    /// The daemon's version.
    public var version: String?
    /// The reasons why some events cannot be detected at the moment; empty if there are none.
    public var attention: [FaceAttention]?
    /// The number of held faces: unseen faces that count as present, since the person is still visible at that place.
    public var held = 0
    /// The condition of the outbox; nil in the last will and without a broker.
    public var outbox: Outbox?
    /// Text for users: what happened to the outbox; nil if its condition is `ok`.
    public var outboxDetail: String?
    /// The broker that the daemon last connected to, as `host:port`; nil before the first connection.
    public var broker: String?
    /// The longest time between two `stats` messages, in seconds; nil in the last will and from daemons before 0.5.
    public var statsInterval: Double?
    /// The time of the status's last change; nil in the last will, which is written before its time is known.
    public var time: Timestamp?

    /// Makes a status from these values. All others are unknown.
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
