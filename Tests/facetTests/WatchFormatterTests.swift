import FaceMessages
import FaceMetadata
import Testing

@testable import facet

@Suite("Lines of facet watch")
struct WatchFormatterTests {
    private let plain = WatchFormatter(hasColors: false, utcOffset: { _ in 3600 })

    @Test(
        "tell each event with what belongs to it",
        arguments: [
            (FaceEvent.Kind.enter, "enter        face 1 roll -3° yaw 8° pitch -2°"),
            (.smile, "smile        face 1 roll -3° yaw 8° pitch -2°"),
            (.blink(eyes: .both, duration: 0.2), "blink        face 1 both eyes, 0.2 s"),
            (.blink(eyes: .left, duration: 0.2), "blink        face 1 left eye, 0.2 s"),
            (.eyesClosed(eyes: .right, duration: 1.5), "eyes_closed  face 1 right eye, 1.5 s"),
            (.leave(dwell: 12.345, lastSeen: stamp(0).time, reason: .left), "leave        face 1 after 12.35 s"),
            (
                .leave(dwell: 2, lastSeen: stamp(0).time, reason: .cameraLost),
                "leave        face 1 after 2.0 s (camera_lost)"
            ),
        ] as [(FaceEvent.Kind, String)]
    )
    func events(kind: FaceEvent.Kind, text: String) {
        #expect(plain.line(.event(event(kind))) == "05:12:33.120  " + text)
    }

    @Test("tell who is there, and that nobody is")
    func metadata() {
        let origin = MessageOrigin(camera: "front", boot: "RUN1")
        let message = MetadataMessage(origin: origin, stamp: stamp(0), faces: [face()])
        #expect(
            plain.line(.metadata(message))
                == "05:12:33.120  metadata     face 1 at 50%,50% size 40%×60% roll -3° yaw 8° pitch -2° smiling left eye closed"
        )
        let empty = MetadataMessage(origin: origin, stamp: stamp(0), faces: [])
        #expect(plain.line(.metadata(empty)) == "05:12:33.120  metadata     nobody")
    }

    @Test("tell the daemon's condition and what it lacks")
    func status() {
        let status = DaemonStatus(
            state: .online,
            cameraState: .lost,
            reason: "unplugged",
            detail: "no device",
            attention: [.tooDark]
        )
        let message = StatusMessage(origin: MessageOrigin(camera: "front", boot: "RUN1"), status: status)
        #expect(
            plain.line(.status(message)).hasSuffix(
                "status       online camera lost (unplugged) – no device – attention: too_dark"
            )
        )
    }

    @Test("are coloured only on request")
    func colors() {
        let colored = WatchFormatter(hasColors: true, utcOffset: { _ in 0 }).line(.event(event(.smile)))
        #expect(colored.contains("\u{1B}["))
        #expect(!plain.line(.event(event(.smile))).contains("\u{1B}"))
    }
}

@Suite("Commands of facet watch --exec")
struct EventCommandTests {
    @Test("find the event's fields in their environment, and only those")
    func fields() {
        let fields = EventCommand.fields(
            of: event(.blink(eyes: .left, duration: 0.2), frame: 6),
            payload: Array("{}".utf8)
        )
        #expect(fields["FACET_EVENT"] == "blink" && fields["FACET_FACE"] == "1" && fields["FACET_CAMERA"] == "front")
        #expect(fields["FACET_EYES"] == "left" && fields["FACET_DURATION"] == "0.2" && fields["FACET_JSON"] == "{}")
        #expect(fields["FACET_TIME"] == "2026-11-21T04:12:33.320456Z" && fields["FACET_YAW"] == "8.1")
        #expect(fields["FACET_DWELL"] == nil && fields["FACET_REASON"] == nil)
    }

    @Test("run in a shell, and tell how they failed", .timeLimit(.minutes(5)))
    func run() async {
        let good = EventCommand(command: "test \"$FACET_EVENT\" = smile")
        #expect(await good.run(event(.smile), payload: []) == nil)
        #expect(await good.run(event(.enter), payload: []) == "the command for enter ended with status 1")
        let ended = await EventCommand(command: "kill -KILL $$").run(event(.smile), payload: [])
        #expect(ended == "the command for smile was ended by signal 9")
    }
}
