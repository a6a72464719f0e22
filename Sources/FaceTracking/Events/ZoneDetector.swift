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
    private(set) var names: [String] = []
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
        if !events.isEmpty { names = stays.filter(\.isReported).map(\.zone) }
        return events
    }

    /// Ends all stays at `time`, when the face was last known to be present, and returns their events.
    mutating func end(at time: Double) -> [FaceEvent.Kind] {
        for index in stays.indices { stays[index].last = time }
        return leave { _ in true }
    }

    private mutating func leave(_ isOver: (Stay) -> Bool) -> [FaceEvent.Kind] {
        let over = stays.filter(isOver)
        stays.removeAll(where: isOver)
        return over.filter(\.isReported).map { stay in
            .zoneLeave(zone: stay.zone, dwell: max(0, stay.last - max(stay.since, visitBegan)))
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
