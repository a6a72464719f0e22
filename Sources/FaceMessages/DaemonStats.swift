public import FaceMetadata

/// What `faces/stats` carries. Counters run from the daemon's start; rates, times and shares are of the last interval.
public struct DaemonStats: Hashable, Sendable {
    /// How long one stage took per frame, in the last interval.
    public struct Stage: Hashable, Sendable {
        /// What the stage is called (`decode`, `detect`, `landmarks`, `track`, `publish`).
        public var name: String
        /// How often it ran.
        public var runs: Int
        /// The mean time, in seconds.
        public var mean: Double
        /// The longest time, in seconds.
        public var longest: Double

        /// Makes the times of a stage, in seconds.
        public init(name: String, runs: Int, mean: Double, longest: Double) {
            self.name = name
            self.runs = runs
            self.mean = mean
            self.longest = longest
        }
    }

    /// What became of messages, since the start.
    public struct Messages: Hashable, Sendable {
        /// Handed to the broker.
        public var sent = 0
        /// Waiting for the broker now.
        public var queued = 0
        /// Events that grew too old while the broker was away.
        public var expired = 0
        /// Dropped for any other reason, by reason.
        public var dropped: [String: Int] = [:]

        /// Events accepted while the outbox could not keep them safe from a crash.
        public var unsafe = 0
        /// Whether events survive a crash now; nil without a broker.
        public var outbox: DaemonStatus.Outbox?

        /// Makes counters that are all zero.
        public init() {}
    }

    /// When the interval ended.
    public var time: Timestamp
    /// Seconds since the daemon's start.
    public var uptime: Double
    /// The interval's length in seconds.
    public var interval: Double
    /// Frames captured per second.
    public var frameRate: Double
    /// Frames analysed per second.
    public var analysisRate: Double
    /// Frames captured since the start.
    public var captured: Int
    /// Frames analysed since the start.
    public var analysed: Int
    /// Frames dropped since the start, by reason.
    public var dropped: [String: Int]
    /// Stage times.
    public var stages: [Stage]
    /// Processor time over wall time: 1 is one core fully used.
    public var cpu: Double
    /// Resident memory in bytes.
    public var residentBytes: Int
    /// What became of messages.
    public var messages: Messages

    /// Makes the figures of an interval.
    public init(
        time: Timestamp,
        uptime: Double,
        interval: Double,
        frameRate: Double,
        analysisRate: Double,
        captured: Int,
        analysed: Int,
        dropped: [String: Int],
        stages: [Stage],
        cpu: Double,
        residentBytes: Int,
        messages: Messages
    ) {
        self.time = time
        self.uptime = uptime
        self.interval = interval
        self.frameRate = frameRate
        self.analysisRate = analysisRate
        self.captured = captured
        self.analysed = analysed
        self.dropped = dropped
        self.stages = stages
        self.cpu = cpu
        self.residentBytes = residentBytes
        self.messages = messages
    }
}

extension JSONWriter {
    mutating func statistics(_ stats: DaemonStats) {
        field("time", stats.time.iso8601)
        field("uptime", stats.uptime, decimals: 1)
        field("interval", stats.interval, decimals: 1)
        field("frameRate", stats.frameRate, decimals: 1)
        field("analysisRate", stats.analysisRate, decimals: 1)
        object("frames") { json in
            json.field("captured", stats.captured)
            json.field("analysed", stats.analysed)
            json.counters("dropped", stats.dropped)
        }
        array("stages", stats.stages) { json, stage in
            json.field("name", stage.name)
            json.field("runs", stage.runs)
            json.field("meanMs", stage.mean * 1000, decimals: 3)
            json.field("maxMs", stage.longest * 1000, decimals: 3)
        }
        field("cpu", stats.cpu, decimals: 3)
        field("rss", stats.residentBytes)
        object("messages") { json in
            json.field("sent", stats.messages.sent)
            json.field("queued", stats.messages.queued)
            json.field("expired", stats.messages.expired)
            json.counters("dropped", stats.messages.dropped)
            guard let outbox = stats.messages.outbox else { return }
            json.field("unsafe", stats.messages.unsafe)
            json.field("outbox", outbox.rawValue)
        }
    }

    private mutating func counters(_ name: StaticString, _ counters: [String: Int]) {
        object(name) { json in
            for (reason, count) in counters.sorted(by: { $0.key < $1.key }) { json.field(named: reason, count) }
        }
    }
}
