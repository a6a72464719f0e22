import FaceMessages
import FaceMetadata
import FacetTestSupport

/// The values behind the golden files.
enum Samples {
    static let encoder = MessageEncoder(camera: "front", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA")
    static let time = Timestamp(nanoseconds: 1_795_234_353_120_456_789)
    static let stamp = FrameStamp(frame: 1834, time: time, mediaTime: 61.1334)
    static let origin = MessageOrigin(camera: encoder.origin.camera, boot: encoder.origin.boot)

    static let face = {
        var face = FaceObject(
            faceID: FaceID(rawValue: 7),
            bounds: NormalizedRect(x: 0.41204, y: 0.221, width: 0.18126, height: 0.302),
            pose: HeadPose(roll: -3.24, yaw: 8.06, pitch: -2),
            confidence: 0.974
        )
        face.leftEye = NormalizedPoint(x: 0.45, y: 0.31)
        face.rightEye = NormalizedPoint(x: 0.53, y: 0.31)
        face.mouth = NormalizedPoint(x: 0.49, y: 0.45)
        (face.smiling, face.smile) = (true, 0.91)
        (face.leftEyeClosed, face.rightEyeClosed) = (false, false)
        (face.leftEyeOpen, face.rightEyeOpen, face.mouthOpen, face.talking) = (1, 0.966, 0.08, false)
        (face.blinksPerMinute, face.eyesClosedShare) = (14.04, 0.031)
        (face.looking, face.gaze, face.distance) = (true, Gaze(yaw: -1.46, pitch: 4), 0.628)
        (face.zones, face.trackedFrames, face.visit) = (["desk", "Tür \"1\""], 57, visit)
        return face
    }()

    /// A face of which only the box is known, partly outside the picture, and hidden now.
    static let bareFace = {
        let bounds = NormalizedRect(x: -0.05, y: 0, width: 0.1, height: 1)
        var face = FaceObject(faceID: FaceID(rawValue: 8), bounds: bounds, confidence: 1)
        (face.trackedFrames, face.isSeen, face.still) = (1, false, true)
        return face
    }()

    static let visit = {
        var visit = Visit()
        (visit.smiles, visit.blinks, visit.looks) = (1, 3, 2)
        (visit.smilingSeconds, visit.lookingSeconds, visit.unseen) = (2.4333, 6.2, 12.5)
        (visit.nearestDistance, visit.largestHeight, visit.judgedShare) = (0.628, 0.302, 0.972)
        return visit
    }()

    static let zones = [
        ZonesMessage.Zone(
            name: "desk",
            faces: 1,
            area: [(0, 0.4), (0.5, 0.4), (0.5, 1)].map(NormalizedPoint.init(x:y:))
        ),
        ZonesMessage.Zone(
            name: "door",
            faces: 0,
            area: [(0.6, 0), (1, 0), (1, 0.33335)].map(NormalizedPoint.init(x:y:))
        ),
    ]

    static let today = {
        var today = DayTotals(since: time)
        for visitor in 0..<14 { today.add(visit, hasEnded: true, at: time) { _ in visitor * 600 } }
        today.mostFaces = 3
        return today
    }()

    static func event(_ kind: FaceEvent.Kind, latency: Double? = 0.0314) -> Message {
        encoder.event(
            FaceEvent(kind: kind, face: face, stamp: stamp),
            id: "01JD6Z3KA1B2C3D4E5F6G7H8J9",
            seq: 42,
            latency: latency
        )
    }

    static let status = {
        let detail = "cannot read \"/dev/video0\""
        var status = DaemonStatus(state: .online, cameraState: .lost, reason: "unplugged", detail: detail)
        (status.detect, status.version, status.time) = (true, "1.0.0", time)
        status.attention = [.tooDark, .lowFrameRate, .overBudget]
        return status
    }()

    static let streaming = {
        let detail = "/dev/video0: MJPG 640x480 at 30.0 frames/s"
        var status = DaemonStatus(state: .online, cameraState: .streaming, detail: detail)
        (status.detect, status.smile, status.version, status.attention) = (true, SmileSettings(), "1.0.0", [])
        status.time = time
        (status.picture, status.held) = (DaemonStatus.Picture(width: 480, height: 640), 1)
        status.publish = [.enter, .zoneLeave, .previewJPEG]
        return status
    }()

    static let restored = {
        var status = streaming
        (status.detail, status.picture, status.held, status.publish) = (nil, nil, 0, [])
        (status.outbox, status.outboxDetail) = (.restored, "it is damaged: moved aside")
        status.broker = "front.example:8883"
        return status
    }()

    static let stats: DaemonStats = {
        var stats = DaemonStats()
        (stats.time, stats.uptime, stats.interval) = (time, 70.04, 10)
        (stats.frameRate, stats.analysisRate) = (29.97, 29.9)
        (stats.captured, stats.analysed, stats.dropped) = (2100, 2098, ["late": 2, "corrupt": 0])
        stats.stages = [DaemonStats.Stage(name: "landmarks", runs: 299, mean: 0.00241, longest: 0.00402)]
        (stats.cpu, stats.residentBytes) = (0.0834, 61_865_984)
        (stats.cpuDecoding, stats.cpuAnalysis) = (0.0312, 0.0457)
        stats.decoder = "VA-API on /dev/dri/renderD128"
        stats.messages.sent = 312
        return stats
    }()

    static let golden: [(name: String, message: Message)] = [
        ("metadata", encoder.metadata([face, bareFace], at: stamp)),
        ("metadata-empty", encoder.metadata([], at: stamp)),
        ("enter", event(.enter)),
        ("smile", event(.smile)),
        ("smile_end", event(.smileEnd(duration: 2.4333, peak: 0.912))),
        ("blink", event(.blink(eyes: .both, duration: 0.1333))),
        ("eyes_closed", event(.eyesClosed(eyes: .left, duration: 0.5))),
        ("eyes_open", event(.eyesOpen(eyes: .left, duration: 2.0666))),
        ("mouth_open", event(.mouthOpen)),
        ("look", event(.look)),
        ("look_away", event(.lookAway(duration: 3.2333))),
        ("zone_enter", event(.zoneEnter(zone: "desk"))),
        ("zone_leave", event(.zoneLeave(zone: "desk", dwell: 3.2333))),
        ("sign", event(.sign(.winkLeft))),
        ("leave", event(.leave(dwell: 12.5, lastSeen: time, reason: .cameraLost), latency: nil)),
        ("count", encoder.count(2)),
        ("zones", encoder.zones(zones)),
        ("today", encoder.today(today)),
        ("status", encoder.status(status)),
        ("status-streaming", encoder.status(streaming)),
        ("status-outbox", encoder.status(restored)),
        ("status-will", encoder.status(DaemonStatus(state: .offline))),
        ("stats", encoder.stats(stats)),
    ]
}
