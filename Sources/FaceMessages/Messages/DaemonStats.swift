/// The payload of `faces/stats`. Counters run from the daemon's start; rates, times and shares cover the last interval.
public struct DaemonStats: Hashable, Sendable, WireValue {
    /// The processing time of one stage in the last interval.
    public struct Stage: Hashable, Sendable, WireValue {
        /// The name of the stage (`decode`, `detect`, `landmarks`, `track`, `publish`).
        public var name: String
        /// The number of times that the stage ran.
        public var runs: Int
        /// The mean time of a run, in seconds.
        public var mean: Double
        /// The longest time of a run, in seconds.
        public var longest: Double

        /// Makes the times of a stage, in seconds.
        public init(name: String, runs: Int, mean: Double, longest: Double) {
            (self.name, self.runs, self.mean, self.longest) = (name, runs, mean, longest)
        }

        mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
            try wire.field("name", &name, .name)
            try wire.field("runs", &runs, .counter)
            try wire.field("meanMs", &mean, .milliseconds(decimals: 3))
            try wire.field("maxMs", &longest, .milliseconds(decimals: 3))
        }
    }

    /// The numbers of MQTT messages since the daemon's start, by what happened to them.
    public struct Messages: Hashable, Sendable, WireValue {
        /// The number of messages sent to the broker, repetitions included.
        public var sent = 0
        /// The number of events that are now waiting to be sent to the broker, or to be acknowledged by it.
        public var queued = 0
        /// The number of events that were dropped because they became too old before they were sent for the first time.
        public var expired = 0
        /// The numbers of dropped messages by reason, without those counted as `expired`. The reason `unconfirmed`
        /// means that an event was sent but not acknowledged by the broker, and became too old to be sent again.
        public var dropped: [String: Int] = [:]

        /// The number of events put into the outbox while the outbox would not have survived a crash of the daemon.
        public var unsafe = 0
        /// Whether the events in the outbox survive a crash of the daemon now; nil without a broker.
        public var outbox: DaemonStatus.Outbox?

        /// Makes counters that are all zero.
        public init() {}

        mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
            try wire.field("sent", &sent, .counter)
            try wire.field("queued", &queued, .counter)
            try wire.field("expired", &expired, .counter)
            try wire.field("dropped", &dropped, .counters)
            // Without a broker there is no outbox.
            try wire.field("unsafe", &unsafe, .counter, or: 0, isWritten: outbox != nil)
            try wire.optional("outbox", &outbox, .word)
        }
    }

    /// The time at which the interval ended.
    public var time = Timestamp(nanoseconds: 0)
    /// Seconds since the daemon's start.
    public var uptime = 0.0
    /// The interval's length in seconds.
    public var interval = 0.0
    /// Frames captured per second.
    public var frameRate = 0.0
    /// Frames analysed per second.
    public var analysisRate = 0.0
    /// Frames captured since the start.
    public var captured = 0
    /// Frames analysed since the start.
    public var analysed = 0
    /// Frames dropped since the start, by reason.
    public var dropped: [String: Int] = [:]
    /// Frames since the start whose timestamps were impossible and were corrected.
    public var retimed = 0
    /// The processing times of the stages that ran.
    public var stages: [Stage] = []
    /// Processor time divided by wall time: 1 is one core fully used.
    public var cpu = 0.0
    /// The part of `cpu` for decoding pictures; nil if this process decodes none, and from daemons before 0.4.
    public var cpuDecoding: Double?
    /// The decoder of a clip or a network stream: `software`, or a device such as `VA-API on /dev/dri/renderD128`; nil
    /// for cameras and pipelines, and from daemons before 0.4.
    public var decoder: String?
    /// The part of `cpu` for finding and measuring faces; nil from daemons before 0.4.
    public var cpuAnalysis: Double?
    /// Resident memory in bytes.
    public var residentBytes = 0
    /// The numbers of messages that were sent, are waiting or were dropped.
    public var messages = Messages()

    /// Makes statistics that are all zero.
    public init() {}

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("time", &time, .time)
        try wire.field("uptime", &uptime, .amount(decimals: 1))
        try wire.field("interval", &interval, .amount(decimals: 1))
        try wire.field("frameRate", &frameRate, .amount(decimals: 1))
        try wire.field("analysisRate", &analysisRate, .amount(decimals: 1))
        var frames = Frames(stats: self)
        try wire.field("frames", &frames, .object(frames))
        self = frames.stats
        try wire.field("stages", &stages, .list(of: Stage(name: "", runs: 0, mean: 0, longest: 0)))
        try wire.field("cpu", &cpu, .seconds)
        try wire.optional("cpuDecoding", &cpuDecoding, .seconds)
        try wire.optional("decoder", &decoder, .name)
        try wire.optional("cpuAnalysis", &cpuAnalysis, .seconds)
        try wire.field("rss", &residentBytes, .counter)
        try wire.field("messages", &messages, .object(Messages()))
    }

    private struct Frames: WireValue {
        var stats: DaemonStats

        mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
            try wire.field("captured", &stats.captured, .counter)
            try wire.field("analysed", &stats.analysed, .counter)
            try wire.field("dropped", &stats.dropped, .counters)
            try wire.field("retimed", &stats.retimed, .counter, or: 0, isWritten: stats.retimed > 0)
        }
    }
}
