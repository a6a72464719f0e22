import FaceMessages
import FaceMetadata
import FacetKit
import FacetTestSupport
import Frames
import MQTT

@testable import DaemonCore

/// Messages that between them hold every value of every enumeration, and angles at their limits.
enum EveryValue {
    static var messages: [Message] {
        events + statuses + [stats, encoder.detectState(true), encoder.detectState(false)]
            + [encoder.preview([0xFF], of: stamp), encoder.metadata([face], at: stamp), encoder.count(0)]
            + [encoder.today(DayTotals(since: time)), encoder.today(wholeDay), encoder.zones([])]
            + [encoder.zones([zone, offZone])]
    }

    private static let zone = ZonesMessage.Zone(
        name: "a",
        faces: 0,
        area: Array(repeating: face.bounds.center, count: 64)
    )
    private static let offZone = {
        var zone = Self.zone
        zone.isOn = false
        return zone
    }()

    private static let encoder = MessageEncoder(camera: "Tür 1/α", boot: ULID.make(at: time))
    private static let time = Timestamp(nanoseconds: 1_795_234_353_120_456_789)
    private static let wholeDay = {
        var totals = DayTotals(since: time)
        for hour in 0..<24 { totals.add(Visit(), hasEnded: true, at: time) { _ in hour * 3600 } }
        return totals
    }()
    private static let stamp = FrameStamp(frame: 0, time: time, mediaTime: 0)
    private static let face = {
        var face = FaceObject(
            faceID: FaceID(rawValue: 1),
            bounds: NormalizedRect(x: -0.5, y: 0, width: 1, height: 1),
            pose: HeadPose(roll: -179.97, yaw: 180, pitch: -179.9),
            confidence: 1
        )
        (face.trackedFrames, face.isSeen, face.visit) = (1, false, Visit())
        face.still = true
        face.hasMesh = false
        (face.leftEyeOpen, face.rightEyeOpen, face.mouthOpen, face.talking) = (0, 1, 1, true)
        (face.blinksPerMinute, face.eyesClosedShare) = (0, 1)
        face.zones = ["a"]
        (face.looking, face.gaze, face.distance) = (false, Gaze(yaw: -90, pitch: 90), 0)
        return face
    }()

    private static var events: [Message] {
        var kinds: [FaceEvent.Kind] = [
            .enter, .smile, .smileEnd(duration: 0, peak: 1), .mouthOpen, .look, .lookAway(duration: 0),
            .zoneEnter(zone: "a"), .zoneLeave(zone: "a", dwell: 0),
        ]
        kinds += FaceEvent.Sign.allCases.map { .sign($0) }
        for eyes in FaceEvent.Eyes.allCases {
            kinds += [.blink(eyes: eyes, duration: 0.1), .eyesClosed(eyes: eyes, duration: 0.7)]
            kinds.append(.eyesOpen(eyes: eyes, duration: 0))
        }
        for reason in FaceEvent.LeaveReason.allCases {
            kinds.append(.leave(dwell: 0, lastSeen: time, reason: reason))
        }
        return kinds.enumerated().map { index, kind in
            let event = FaceEvent(kind: kind, face: face, stamp: stamp)
            return encoder.event(event, id: ULID.make(at: time), seq: index + 1, latency: 0)
        }
    }

    private static var statuses: [Message] {
        let running = DaemonStatus.CameraState.allCases.map { state in
            var status = DaemonStatus(state: .online, cameraState: state)
            (status.detect, status.version, status.time) = (false, "1", time)
            status.attention = FaceAttention.allCases
            status.statsInterval = 0.5
            if state == .lost { (status.reason, status.detail) = ("unplugged", "the camera was unplugged") }
            return encoder.status(status)
        }
        let outboxes = DaemonStatus.Outbox.allCases.map { outbox in
            var status = DaemonStatus(state: .online, cameraState: .streaming)
            (status.detect, status.smile, status.version, status.time) = (true, SmileSettings(), "1", time)
            (status.attention, status.outbox, status.broker) = ([], outbox, "[::1]:1883")
            status.picture = DaemonStatus.Picture(width: 1, height: 8192)
            status.publish = Topic.selectable + [.previewJPEG]
            status.outboxDetail = outbox == .ok ? nil : "the disk is full"
            return encoder.status(status)
        }
        return running + outboxes + [encoder.status(DaemonStatus(state: .offline))]
    }

    private static var stats: Message {
        var messages = DaemonStats.Messages()
        for reason in DeliveryCounters.Drop.allCases where reason != .expired { messages.dropped[reason.rawValue] = 1 }
        messages.outbox = .memory
        var stats = DaemonStats()
        (stats.time, stats.interval, stats.messages) = (time, 1, messages)
        stats.retimed = 1
        stats.dropped = Dictionary(uniqueKeysWithValues: FrameMailbox.Drop.allCases.map { ($0.rawValue, 1) })
        (stats.cpuDecoding, stats.cpuAnalysis, stats.decoder) = (0, 0.5, "software")
        stats.stages = SessionMeter.Stage.allCases.map {
            DaemonStats.Stage(name: $0.rawValue, runs: 1, mean: 0, longest: 0)
        }
        return encoder.stats(stats)
    }
}
