import FaceMetadata
import Testing

@testable import FaceTracking

@Suite("Zones")
struct ZoneTests {
    /// Plays a face of a size along a line of the picture at a rate: where it is at each time in seconds, nil where it
    /// is not.
    private static func play(
        _ zones: [Zone],
        rate: Double,
        size: Double = 0.2,
        seconds: Double,
        _ middle: (Double) -> NormalizedPoint?
    ) -> [FaceEvent] {
        var tracker = FaceTracker()
        tracker.options.zones = zones
        var events: [FaceEvent] = []
        for frame in 0..<Int(seconds * rate) {
            let stamp = Timeline.stamp(frame, rate: rate)
            let face = middle(stamp.mediaTime).map { point in
                FaceObservation.sample(x: point.x - size / 2, y: point.y - size / 2, size: size)
            }
            events += tracker.advance(to: stamp, with: [face].compactMap(\.self)).events
        }
        return events
    }

    private static func rectangle(
        _ name: String,
        _ numbers: Double...,
        dwell: Double = 0,
        anchor: Zone.Anchor = .center
    )
        throws -> Zone
    {
        Zone(name, try PictureArea(numbers: numbers), dwell: dwell, anchor: anchor)
    }

    @Test("a face that walks through three zones enters and leaves each once, at its time", arguments: [15.0, 30, 60])
    func walk(rate: Double) throws {
        // The middle moves from 0.1 to 0.9 in eight seconds; two zones overlap.
        let zones = try [
            Self.rectangle("a", 0.2, 0, 0.2, 1), Self.rectangle("b", 0.35, 0, 0.2, 1),
            Self.rectangle("c", 0.7, 0, 0.3, 1),
        ]
        let events = Self.play(zones, rate: rate, seconds: 10) { time in
            time < 8 ? NormalizedPoint(x: 0.1 + 0.1 * time, y: 0.5) : nil
        }
        let told = events.compactMap { event -> String? in
            switch event.kind {
            case .zoneEnter(let zone): "+\(zone)"
            case .zoneLeave(let zone, _): "-\(zone)"
            case .leave: "left"
            default: nil
            }
        }
        #expect(told == ["+a", "+b", "-a", "-b", "+c", "-c", "left"])
        // 1 % inside the border, 1 % outside: the smoothing of bounds follows within a frame or two.
        let expected = ["+a": 1.1, "+b": 2.6, "-a": 3.1, "-b": 4.6, "+c": 6.1]
        for (event, name) in zip(events.filter { $0.kind != .enter }, told) {
            guard let time = expected[name] else { continue }
            #expect(abs(event.stamp.mediaTime - time) <= 0.15, "\(name) at \(event.stamp.mediaTime)")
        }
        for case .zoneLeave(let zone, let dwell) in events.map(\.kind) where zone != "c" {
            #expect(abs(dwell - 2) < 0.2, "\(zone) \(dwell)")
        }
    }

    @Test("a face that trembles by two pixels at a border neither enters nor leaves", arguments: [15.0, 30, 60])
    func border(rate: Double) throws {
        let zones = try [Self.rectangle("left", 0, 0, 0.5, 1), Self.rectangle("top", 0, 0, 1, 0.5)]
        // Of 640 by 480 pixels, on and around the border.
        for offset in [-2.0, 0, 2] {
            var step = 0
            let events = Self.play(zones, rate: rate, seconds: 20) { _ in
                step += 1
                let shake = [2.0, -2, 1, 2, -1, -2][step % 6]
                return NormalizedPoint(x: 0.5 + (offset + shake) / 640, y: 0.5 + (offset - shake) / 480)
            }
            #expect(events.map(\.kind) == [.enter])
        }
    }

    @Test("counts only after the dwell, and a shorter visit is none")
    func dwell() throws {
        let zones = try [Self.rectangle("desk", 0, 0, 0.5, 1, dwell: 2)]
        let events = Self.play(zones, rate: 30, seconds: 12) { time in
            // A second in it, one beside it, five in it, and beside it again.
            NormalizedPoint(x: time < 1 || (2..<7).contains(time) ? 0.3 : 0.7, y: 0.5)
        }
        guard case .zoneEnter("desk") = events.dropFirst().first?.kind,
            case .zoneLeave("desk", let dwell) = events.last?.kind
        else {
            Issue.record("\(events.map(\.kind))")
            return
        }
        #expect(events.count == 3)
        #expect(abs(events[1].stamp.mediaTime - 4) < 0.2)
        #expect(abs(dwell - 5) < 0.3)
    }

    @Test("small faces are not in a zone that takes large ones, and the anchor may be the chin")
    func sizeAndAnchor() throws {
        var near = try Self.rectangle("near", 0, 0, 1, 1)
        near.minimumSize = 0.3
        let low = try Self.rectangle("low", 0, 0.6, 1, 0.4, anchor: .bottom)
        let middle = NormalizedPoint(x: 0.5, y: 0.5)
        func kinds(_ size: Double) -> [FaceEvent.Kind] {
            Self.play([near, low], rate: 30, size: size, seconds: 2) { _ in middle }.map(\.kind)
        }
        #expect(kinds(0.1) == [.enter])
        #expect(kinds(0.25) == [.enter, .zoneEnter(zone: "low")])
        #expect(kinds(0.35) == [.enter, .zoneEnter(zone: "near"), .zoneEnter(zone: "low")])
    }

    @Test("a zone that is narrower than the margins can be entered")
    func narrow() throws {
        let zones = try [Self.rectangle("slit", 0.5, 0, 0.008, 1)]
        let events = Self.play(zones, rate: 30, seconds: 2) { _ in NormalizedPoint(x: 0.504, y: 0.5) }
        #expect(events.map(\.kind) == [.enter, .zoneEnter(zone: "slit")])
    }

    @Test("other zones take effect with the next frame, those that are gone are left, and no identity changes")
    func reload() throws {
        var timeline = Timeline()
        timeline.tracker.options.zones = try [Self.rectangle("a", 0, 0, 1, 1)]
        #expect(timeline.play("aaaa") == "...EZ")
        #expect(timeline.updates.last?.faces.first?.zones == ["a"])
        timeline.tracker.options.zones = try [Self.rectangle("b", 0, 0, 1, 1)]
        #expect(timeline.play("aa") == "zZ.")
        #expect(timeline.updates.last?.faces.first?.zones == ["b"])
        timeline.tracker.options.zones = []
        #expect(timeline.play("aa") == "z.")
        #expect(timeline.updates.last?.faces.first?.zones == nil)
        #expect(timeline.updates.last?.faces.map(\.faceID.rawValue) == [1])
    }

    @Test("a zone that is switched off is left, and entered again when it is on")
    func switched() throws {
        var timeline = Timeline()
        timeline.tracker.options.zones = try [Self.rectangle("a", 0, 0, 1, 1)]
        #expect(timeline.play("aaaa") == "...EZ")
        timeline.tracker.options.zones[0].isOn = false
        #expect(timeline.play("aa") == "z.")
        #expect(timeline.updates.last?.faces.first?.zones == [])
        timeline.tracker.options.zones[0].isOn = true
        #expect(timeline.play("aa") == "Z.")
    }

    @Test("a face that is hidden for a moment stays in its zone; one that leaves, leaves the zone first")
    func hiddenAndGone() throws {
        var timeline = Timeline()
        timeline.tracker.options.zones = try [Self.rectangle("a", 0, 0, 1, 1)]
        #expect(timeline.play("aaaa-----aaa") == "...EZ........")
        #expect(timeline.play(String(repeating: "-", count: 24)).hasSuffix("zL..."))
    }
}
