/// The state of one camera: its daemon, its faces, its figures, kept up to date from messages.
///
/// Faces and their count are only known while the camera is being looked at. When detection is off, the camera lost or
/// the daemon gone, the count is unknown, not zero, and no message that the broker kept or that came late brings a face
/// back.
///
/// Keep one state for each base topic: `count` and `detect/state` do not say whose they are. A retained `status` with
/// an empty payload means that the camera was removed; then drop its state.
public struct CameraState: Hashable, Sendable {
    /// The condition of the camera, in one word.
    public enum Condition: String, Hashable, Sendable, CaseIterable {
        /// The daemon runs, and its source is being opened.
        case starting
        /// Frames come, and faces are looked for in them.
        case streaming
        /// The daemon runs and gets no frames; it keeps trying.
        case lost
        /// Detection is off, and the camera closed.
        case disabled
        /// The daemon ended in good order.
        case stopped
        /// The daemon vanished.
        case offline
        /// The daemon gives no sign of life, although the broker still has its retained status.
        case gone
        /// No status came, or it has a state that only a newer version of this contract knows.
        case unknown
    }

    /// What a message changed.
    public struct Change: OptionSet, Hashable, Sendable {
        /// The bits, one for each kind of change.
        public var rawValue: UInt8
        /// Makes a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Condition, reason, name or anything else of the status, or whether detection is on.
        public static let status = Change(rawValue: 1)
        /// The faces, or the frame that they were seen in.
        public static let faces = Change(rawValue: 2)
        /// The number of faces, in all or in a zone.
        public static let count = Change(rawValue: 4)
        /// The last event.
        public static let event = Change(rawValue: 8)
        /// The figures, or those of today.
        public static let stats = Change(rawValue: 16)
        /// The number of frames a second that are analysed.
        public static let rate = Change(rawValue: 32)
    }

    /// The camera's name; nil before the first message that states it.
    public private(set) var name: String?

    /// The id of the daemon's run; nil before the first message that states it.
    public private(set) var boot: String?

    /// The daemon's condition as it was published last; nil before the first status.
    public private(set) var status: DaemonStatus?

    /// Whether detection is on; nil before the daemon says so.
    public private(set) var isDetecting: Bool?

    /// The newest event. Events are not retained: a new subscriber does not get it.
    public private(set) var lastEvent: EventMessage?

    /// The figures of the newest interval; nil while the daemon is not online.
    public private(set) var stats: DaemonStats?

    /// The totals since local midnight; nil if the daemon does not publish them.
    public private(set) var today: DayTotals?

    private var metadata: MetadataMessage?
    /// The frame of the metadata that was ignored last because it is older than the newest.
    private var passedOver: FrameStamp?
    private var zonesMessage: ZonesMessage?
    private var count: Int?

    /// Makes the state of a camera of which nothing is known yet.
    public init() {}

    /// The condition of the camera, in one word.
    public var condition: Condition {
        // The daemon's and its camera's states have the names that this has for them.
        let word = status?.state == .online ? status?.cameraState?.rawValue : status?.state.rawValue
        return word.flatMap(Condition.init) ?? .unknown
    }

    /// Whether pictures and faces may come: frames come or soon will, or no status is known.
    public var mayShowFaces: Bool { [.starting, .streaming, .unknown].contains(condition) }

    /// Whether something is wrong that the camera's owner should look at; detection that was switched off is not.
    public var hasProblem: Bool { [.lost, .stopped, .offline, .gone, .unknown].contains(condition) }

    /// The faces of the newest metadata; none while nothing is being looked at.
    public var faces: [FaceObject] { shown?.faces ?? [] }

    /// The frame of `faces`; nil without metadata of this run, as from a daemon that publishes events only.
    public var stamp: FrameStamp? { shown?.stamp }

    /// The number of faces; nil unless the camera is being looked at and the daemon publishes the number.
    public var faceCount: Int? { condition == .streaming ? count ?? shown?.faces.count : nil }

    /// The level above which a clear smile begins: what the daemon says, else the default.
    package var smileLevel: Double { (status?.smile ?? SmileSettings()).level }

    /// The number of faces that are held without being seen.
    public var heldCount: Int { min(status?.held ?? 0, faceCount ?? 0) }

    /// The zones with the number of faces in each; empty if the owner has set none, or nothing is being looked at.
    public var zones: [ZonesMessage.Zone] {
        guard mayShowFaces, let zonesMessage, boot == zonesMessage.origin.boot else { return [] }
        return zonesMessage.zones
    }

    /// Analysed frames a second; nil unless the camera is being looked at and figures came.
    public var analysisRate: Double? { condition == .streaming ? stats?.analysisRate : nil }

    /// The reason, for people, why the camera does not stream, else why some events cannot fire; nil without a reason.
    public var explanation: String? {
        switch condition {
        case .streaming:
            let attention = status?.attention ?? []
            return attention.isEmpty ? nil : attention.map(\.rawValue).joined(separator: ", ")
        case .lost, .starting, .gone: return status?.detail ?? status?.reason
        // What a daemon that has ended says of its camera was true before.
        default: return nil
        }
    }

    // MARK: - Changes

    /// Takes over the content of a message.
    ///
    /// Passed over are metadata and figures of a run that has ended, which the broker may still hold, metadata older
    /// than what is known, and the last will of an earlier run that arrives after the next one has begun.
    ///
    /// - Returns: What changed; nothing for a message that was passed over.
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
        case .smileSet, .zoneSet: break
        case .stats(let figures, let origin):
            guard status == nil || (status?.state == .online && boot == origin.boot) else { break }
            introduce(origin)
            stats = figures
        }
        return changes(since: before)
    }

    /// Forgets everything: while there is no connection all may change, and retained messages state it anew.
    ///
    /// - Returns: What was known until now.
    public mutating func forget() -> Change {
        let before = self
        self = CameraState()
        return changes(since: before)
    }

    private mutating func take(_ status: DaemonStatus, from origin: MessageOrigin) {
        // A will that arrives late is that of an earlier run.
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
        // What a run left on the broker when it ended.
        if let status, status.state != .online, boot == message.origin.boot { return }
        // Frames are counted anew each time the source is opened, but then their time is later.
        if let metadata, metadata.origin.boot == message.origin.boot, message.stamp.frame < metadata.stamp.frame,
            message.stamp.time <= metadata.stamp.time
        {
            // One may come late. A later one behind it shows that the clock was set back before the source was opened
            // anew.
            defer { passedOver = message.stamp }
            guard let passedOver, passedOver.frame < message.stamp.frame else { return }
        }
        metadata = message
        guard status == nil else { return }
        name = message.origin.camera
        boot = message.origin.boot
    }

    /// The metadata that may be shown; nil for that of a run whose status has not come yet.
    package var shown: MetadataMessage? {
        guard mayShowFaces, status == nil || metadata?.origin.boot == boot else { return nil }
        return metadata
    }

    /// Takes over the camera's name and the run's id before a status states them.
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
