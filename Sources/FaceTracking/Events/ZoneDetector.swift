/// Detects which zones one face is in. A face enters a zone 1 % of the picture inside the border, less in narrow zones,
/// and leaves it as far outside. So the noise of its position does not make it enter and leave again.
struct ZoneDetector: Sendable {
    /// The distance inside or outside the border at which a face enters or leaves, as a fraction of the picture. It
    /// equals the default deadband of positions in metadata.
    private static let margin = 0.01
    /// The fraction of the zone's minimum face height below which a face that is in the zone leaves it.
    private static let sizeHysteresis = 0.9

    private struct Stay: Sendable {
        var zone: String
        var since: Double
        var last: Double
        var isReported = false
    }

    private var stays: [Stay] = []
    /// The time at which the face's visit began, with its `enter` event. No stay in a zone is reported as longer.
    var visitBegan = -Double.infinity
    /// The names of the zones that the face is reported to be in, in the order in which it came into them.
    var names: [String] { stays.filter(\.isReported).map(\.zone) }
    var ongoing: [FaceEvent.Kind] { names.map { .zoneEnter(zone: $0) } }

    /// Processes the face's bounds at `time`, in seconds.
    /// - Returns: The events of zones entered or left. A zone that was removed or switched off counts as left.
    mutating func advance(_ bounds: NormalizedRect, at time: Double, _ zones: [Zone]) -> [FaceEvent.Kind] {
        guard !zones.isEmpty || !stays.isEmpty else { return [] }
        var events = leave { stay in
            !zones.contains { $0.isOn && $0.name == stay.zone && Self.holds($0, bounds, isInside: true) }
        }
        for zone in zones where zone.isOn {
            let index = stays.firstIndex { $0.zone == zone.name }
            guard index != nil || Self.holds(zone, bounds, isInside: false) else { continue }
            var stay = index.map { stays[$0] } ?? Stay(zone: zone.name, since: time, last: time)
            stay.last = time
            if !stay.isReported, time - stay.since >= zone.dwell - Track.slack {
                stay.isReported = true
                events.append(.zoneEnter(zone: zone.name))
            }
            if let index { stays[index] = stay } else { stays.append(stay) }
        }
        return events
    }

    /// Ends the stays, except in those of `zones` that are on, at `time`, when the face was last known to be present.
    /// - Returns: The events of the zones that are left.
    mutating func end(at time: Double, except zones: [Zone] = []) -> [FaceEvent.Kind] {
        leave(at: time) { stay in !zones.contains { $0.isOn && $0.name == stay.zone } }
    }

    private mutating func leave(at time: Double? = nil, _ isOver: (Stay) -> Bool) -> [FaceEvent.Kind] {
        let over = stays.filter(isOver)
        stays.removeAll(where: isOver)
        return over.filter(\.isReported).map { stay in
            .zoneLeave(zone: stay.zone, dwell: max(0, (time ?? stay.last) - max(stay.since, visitBegan)))
        }
    }

    private static func holds(_ zone: Zone, _ bounds: NormalizedRect, isInside: Bool) -> Bool {
        guard bounds.height >= zone.minimumSize * (isInside ? sizeHysteresis : 1) else { return false }
        let margin = min(margin, zone.area.certainDepth / 2)
        var point = bounds.center
        if zone.anchor == .bottom { point.y = bounds.y + bounds.height }
        return zone.area.depth(of: point) >= (isInside ? -margin : margin)
    }
}
