package import FaceMessages

/// Makes the messages about a session's updates, except events and daily totals.
///
/// Publish an update's events first, then its `conditions`, then its `values`. From the status, subscribers then know
/// whether metadata without faces means that no face is present or that no frames are analysed.
package struct MessageProducer: Sendable {
    private let origin: MessageOrigin
    /// The status of the daemon and its camera, as last published.
    package private(set) var status: DaemonStatus
    /// The state of the source; nil before the first update.
    package private(set) var state: StreamState?
    /// The optional fields of metadata, and the gate that admits changes; nil to publish all fields of every frame.
    private var metadata: (fields: Set<FaceObject.OptionalField>, gate: ChangeGate)?
    private var zones: [Zone] = []
    private var publishedCount = 0
    private var publishedZones: [ZonesMessage.Zone] = []

    /// Makes a producer for a session that begins with detection on or off.
    package init(
        _ origin: MessageOrigin,
        isDetecting: Bool = true,
        publish: [Topic]? = nil
    ) {
        self.origin = origin
        status = DaemonStatus(state: .online, cameraState: isDetecting ? .starting : .disabled)
        status.detect = isDetecting
        status.smile = SmileSettings()
        status.publish = publish
        status.version = facetVersion
        status.attention = []
    }

    /// Sets the metadata options and the zones that apply to all later updates.
    package mutating func use(_ options: MetadataOptions, zones: [Zone] = []) {
        var gate = metadata?.gate ?? ChangeGate()
        gate.options = options.changes
        metadata = (options.fields, gate)
        self.zones = zones
    }

    /// Edits the status. Returns its message if the status has changed or was not published yet.
    package mutating func change(_ edit: (inout DaemonStatus) -> Void) -> [DaemonMessage] {
        let old = status
        edit(&status)
        guard status != old || status.time == nil else { return [] }
        status.time = .wallClock()
        return [.status(status, from: origin)]
    }

    /// Returns the messages about changes of the status, and of whether detection is on.
    package mutating func conditions(of update: FaceUpdate) -> [DaemonMessage] {
        let messages = update.state == state ? [] : follow(update.state)
        return messages
            + change {
                $0.held = update.faces.count(where: \.isHeld)
                $0.attention = update.attention
            }
    }

    private mutating func follow(_ new: StreamState) -> [DaemonMessage] {
        // A command may have switched detection before the first update.
        let isSwitched = status.detect == true ? new == .paused : new == .starting
        let isFirst = state == nil
        state = new
        let isOn = new != .paused
        let messages = change {
            if isSwitched { $0.detect = isOn }
            $0.follow(new)
        }
        return isSwitched || isFirst ? messages + [.detectState(isOn)] : messages
    }

    /// Returns the messages about an update's faces whose content differs from what was last published.
    package mutating func values(of update: FaceUpdate) -> [DaemonMessage] {
        var messages: [DaemonMessage] = []
        if let stamp = update.stamp {
            let faces = metadata.map { wanted in update.faces.map { $0.keeping(wanted.fields) } } ?? update.faces
            if metadata?.gate.admits(faces, at: stamp.mediaTime) ?? true {
                messages.append(.metadata(MetadataMessage(origin: origin, stamp: stamp, faces: faces)))
            }
        }
        let count = update.faces.count
        if count != publishedCount { messages.append(.count(count)) }
        publishedCount = count
        guard !zones.isEmpty || !publishedZones.isEmpty else { return messages }
        let now = zones.map { zone in zone.counted(update.faces.count { $0.zones?.contains(zone.name) == true }) }
        if now != publishedZones { messages.append(.zones(ZonesMessage(origin: origin, zones: now))) }
        publishedZones = now
        return messages
    }
}

/// The optional face values that metadata contains, and how large a change of a value must be to be published.
package struct MetadataOptions: Hashable, Sendable {
    package var fields: Set<FaceObject.OptionalField> = [.looking, .zones, .still]
    package var changes = ChangeGate.Options()

    package init() {}

    /// The options that publish all values after every change, however small, up to 240 times a second.
    package static var everyChange: MetadataOptions {
        var all = MetadataOptions()
        all.fields = Set(FaceObject.OptionalField.allCases)
        all.changes.maximumRate = 240
        all.changes.position = 0
        all.changes.angle = 0
        return all
    }
}

extension DaemonStatus {
    /// Takes over the source's new state. Unless the session has ended, clears the details of the former state.
    fileprivate mutating func follow(_ new: StreamState) {
        attention = []
        guard new != .ended else { return state = .stopped }
        reason = nil
        detail = nil
        picture = nil
        switch new {
        case .starting: cameraState = .starting
        case .streaming(let stream):
            cameraState = .streaming
            detail = stream.summary
            picture = Picture(width: stream.uprightSize.width, height: stream.uprightSize.height)
        case .lost(let failure):
            cameraState = .lost
            reason = failure.reason.rawValue
            detail = failure.description
        case .paused, .ended: cameraState = .disabled
        }
    }
}

extension Zone {
    /// Returns the zone as messages contain it, with the number of faces in the zone.
    package func counted(_ faces: Int) -> ZonesMessage.Zone {
        var zone = ZonesMessage.Zone(name: name, faces: faces, area: area.corners)
        zone.isOn = isOn
        return zone
    }
}
