/// The state of one camera, with its daemon, its faces and its statistics, kept up to date from MQTT messages.
///
/// Faces and their number are known only while frames are analysed. When detection is off, the camera is lost or the
/// daemon is gone, the number is nil, not 0. A retained or late message then does not bring a face back.
///
/// Keep one state for each base topic, because `count` and `detect/state` do not name their camera. Drop the state when
/// a `status` message with an empty payload arrives, because the camera was then removed.
public struct CameraState: Hashable, Sendable {
    /// The condition of the daemon and its camera, as one word.
    public enum Condition: String, Hashable, Sendable, CaseIterable {
        /// The daemon is running and opening its source.
        case starting
        /// Frames arrive and are searched for faces.
        case streaming
        /// The daemon is running but gets no frames. It keeps trying.
        case lost
        /// Detection is switched off and the camera closed.
        case disabled
        /// The daemon exited normally.
        case stopped
        /// The daemon disappeared without exiting normally, as its last will tells.
        case offline
        /// The retained status still says that the daemon is online, but no messages arrive from it any more.
        case gone
        /// No status has arrived, or it contains a state that only a newer version of Facet knows.
        case unknown
    }

    /// The parts of a `CameraState` that a message changed.
    public struct Change: OptionSet, Hashable, Sendable {
        /// The bits, one for each kind of change.
        public var rawValue: UInt8
        /// Makes a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The status, the camera's name or the daemon's run has changed, or detection was switched on or off.
        public static let status = Change(rawValue: 1)
        /// The present faces, or the frame in which they were seen, have changed.
        public static let faces = Change(rawValue: 2)
        /// The number of faces in the picture, or the list of zones with their numbers of faces, has changed.
        public static let count = Change(rawValue: 4)
        /// The newest event has changed.
        public static let event = Change(rawValue: 8)
        /// The statistics, or the totals since local midnight, have changed.
        public static let stats = Change(rawValue: 16)
        /// The number of frames analysed per second has changed.
        public static let rate = Change(rawValue: 32)
    }

    /// The camera's name; nil before the first message that states it.
    public private(set) var name: String?

    /// The id of the daemon's run, new at each start of the daemon; nil before the first message that states it.
    public private(set) var boot: String?

    /// The newest status that the daemon has published; nil before the first one.
    public private(set) var status: DaemonStatus?

    /// Whether detection is on; nil before the first message that states it.
    public private(set) var isDetecting: Bool?

    /// The newest event. Events are not retained, so a new subscriber does not get earlier ones.
    public private(set) var lastEvent: EventMessage?

    /// The newest statistics; nil before the first ones have arrived, and while the daemon is not online.
    public private(set) var stats: DaemonStats?

    /// The totals since local midnight; nil if the daemon has not published any.
    public private(set) var today: DayTotals?

    private var metadata: MetadataMessage?
    /// The frame of the last metadata message that was ignored because it is older than `metadata`.
    private var passedOver: FrameStamp?
    private var zonesMessage: ZonesMessage?
    private var count: Int?

    /// Makes a state in which nothing is known yet.
    public init() {}

    /// The condition of the daemon and its camera, according to the newest status.
    public var condition: Condition {
        // `Condition` has the raw values of the daemon's and of the camera's states.
        let word = status?.state == .online ? status?.cameraState?.rawValue : status?.state.rawValue
        return word.flatMap(Condition.init) ?? .unknown
    }

    /// Whether pictures and faces may arrive: the source is open or being opened, or no status is known.
    public var mayShowFaces: Bool { [.starting, .streaming, .unknown].contains(condition) }

    /// Whether the owner should look at the camera. An unknown condition is a problem, switched-off detection is not.
    public var hasProblem: Bool { [.lost, .stopped, .offline, .gone, .unknown].contains(condition) }

    /// The faces in the newest metadata; empty while no frames are analysed.
    public var faces: [FaceObject] { shown?.faces ?? [] }

    /// The frame in which `faces` were seen; nil without metadata from the daemon's current run.
    public var stamp: FrameStamp? { shown?.stamp }

    /// The number of faces; nil unless the camera is streaming and the daemon publishes their number or metadata.
    public var faceCount: Int? { condition == .streaming ? count ?? shown?.faces.count : nil }

    /// The smile level above which a clear smile begins, as the daemon's status states it, or otherwise the default.
    package var smileLevel: Double { (status?.smile ?? SmileSettings()).level }

    /// The number of held faces: unseen faces that count as present, since the person is still visible at that place.
    public var heldCount: Int { min(status?.held ?? 0, faceCount ?? 0) }

    /// The zones with the number of faces in each; empty if no zones are set or no frames are analysed.
    public var zones: [ZonesMessage.Zone] {
        guard mayShowFaces, let zonesMessage, boot == zonesMessage.origin.boot else { return [] }
        return zonesMessage.zones
    }

    /// The number of frames analysed per second; nil unless the camera is streaming and statistics have arrived.
    public var analysisRate: Double? { condition == .streaming ? stats?.analysisRate : nil }

    /// Text for users: why the camera does not stream, or why some events cannot be detected; nil if neither is known.
    public var explanation: String? {
        switch condition {
        case .streaming:
            let attention = status?.attention ?? []
            return attention.isEmpty ? nil : attention.map(\.rawValue).joined(separator: ", ")
        case .lost, .starting, .gone: return status?.detail ?? status?.reason
        // The details of a daemon that has ended are outdated.
        default: return nil
        }
    }

    // MARK: - Changes

    /// Updates the state with the content of a message, and returns the parts of the state that changed.
    ///
    /// Ignores metadata older than the newest, metadata and statistics of a run of the daemon that has ended, and the
    /// late last will of an earlier run.
    public mutating func take(_ message: DaemonMessage) -> Change {
        let before = self
        switch message {
        case .status(let status, let origin): take(status, from: origin)
        case .metadata(let message): take(message)
        case .event(let message):
            introduce(message.origin)
            lastEvent = message
        case .count(let faces): count = faces
        case .zones(let message):
            introduce(message.origin)
            zonesMessage = message
        case .today(let totals, _): today = totals
        case .detectState(let isOn): isDetecting = isOn
        case .detectSet, .smileSet, .zoneSet: break
        case .stats(let figures, let origin):
            guard status == nil || (status?.state == .online && boot == origin.boot) else { break }
            introduce(origin)
            stats = figures
        }
        return changes(since: before)
    }

    /// Forgets everything, and returns the parts that were known. Call this when the connection to the broker is lost:
    /// after the next connection, the broker sends the retained messages again.
    public mutating func forget() -> Change {
        let before = self
        self = CameraState()
        return changes(since: before)
    }

    private mutating func take(_ status: DaemonStatus, from origin: MessageOrigin) {
        // A last will from another run than the current one is that of an earlier run, and late.
        if status.state != .online, self.status?.state == .online, boot != origin.boot { return }
        if boot != nil, boot != origin.boot {
            count = nil
            stats = nil
            isDetecting = nil
        }
        name = origin.camera
        boot = origin.boot
        self.status = status
        isDetecting = status.detect ?? isDetecting
        if status.state != .online { stats = nil }
        if !mayShowFaces || metadata?.origin.boot != boot { metadata = nil }
    }

    private mutating func take(_ message: MetadataMessage) {
        // Metadata of a run that has ended, which the broker has retained.
        if let status, status.state != .online, boot == message.origin.boot { return }
        // Frame numbers begin again whenever the source is opened, but then with later times.
        if let metadata, metadata.origin.boot == message.origin.boot, message.stamp.frame < metadata.stamp.frame,
            message.stamp.time <= metadata.stamp.time
        {
            // One older message is late. A second, with a higher frame number, shows that the clock was set back before
            // the source was opened again.
            defer { passedOver = message.stamp }
            guard let passedOver, passedOver.frame < message.stamp.frame else { return }
        }
        metadata = message
        guard status == nil else { return }
        name = message.origin.camera
        boot = message.origin.boot
    }

    /// The newest metadata; nil while no frames are analysed, or if the status is of another run of the daemon.
    package var shown: MetadataMessage? {
        guard mayShowFaces, status == nil || metadata?.origin.boot == boot else { return nil }
        return metadata
    }

    /// Takes over the camera's name and the run's id from a message that arrives before the first status.
    private mutating func introduce(_ origin: MessageOrigin) {
        name = name ?? origin.camera
        boot = boot ?? origin.boot
    }

    private func changes(since before: CameraState) -> Change {
        var change: Change = []
        if (status, isDetecting, name, boot) != (before.status, before.isDetecting, before.name, before.boot) {
            change.insert(.status)
        }
        if stamp != before.stamp || faces != before.faces { change.insert(.faces) }
        if faceCount != before.faceCount || zones != before.zones { change.insert(.count) }
        if lastEvent != before.lastEvent { change.insert(.event) }
        if (stats, today) != (before.stats, before.today) { change.insert(.stats) }
        if analysisRate != before.analysisRate { change.insert(.rate) }
        return change
    }
}
