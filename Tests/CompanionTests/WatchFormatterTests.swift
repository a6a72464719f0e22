import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Testing

@testable import Companion

@Suite("Lines of facet watch")
struct WatchFormatterTests {
    private let plain = WatchFormatter(hasColors: false, utcOffset: { _ in 3600 })

    @Test(
        "tell each event with what belongs to it",
        arguments: [
            (FaceEvent.Kind.enter, "enter        face 1 roll -3° yaw 8° pitch -2°"),
            (.smile, "smile        face 1 roll -3° yaw 8° pitch -2°"),
            (.smileEnd(duration: 2.5, peak: 0.91), "smile_end    face 1 after 2.5 s, at most 91%"),
            (.blink(eyes: .both, duration: 0.2), "blink        face 1 both eyes, 0.2 s"),
            (.blink(eyes: .left, duration: 0.2), "blink        face 1 left eye, 0.2 s"),
            (.eyesOpen(eyes: .both, duration: 1.25), "eyes_open    face 1 both eyes, 1.25 s"),
            (.mouthOpen, "mouth_open   face 1 roll -3° yaw 8° pitch -2°"),
            (.look, "look         face 1 roll -3° yaw 8° pitch -2°"),
            (.lookAway(duration: 3.5), "look_away    face 1 after 3.5 s"),
            (.sign(.doubleBlink), "sign         face 1 double_blink"),
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

    @Test("tell what a face did while it was there, and what was seen today")
    func visits() {
        var visit = Visit()
        (visit.smiles, visit.smilingSeconds, visit.looks, visit.lookingSeconds, visit.blinks) = (1, 2.5, 2, 6.2, 3)
        var leave = event(.leave(dwell: 12, lastSeen: stamp(0).time, reason: .left))
        leave.event.face.visit = visit
        #expect(plain.line(.event(leave)).hasSuffix("after 12.0 s – smiles 1 (2.5 s), looks 2 (6.2 s), blinks 3"))
        var totals = DayTotals(since: stamp(0).time)
        totals.add(visit, hasEnded: true, at: stamp(0).time) { _ in 0 }
        #expect(
            plain.line(.today(totals, from: MessageOrigin(camera: "front", boot: "RUN1")))
                == "              today        since 05:12:33: visits 1, looks 2 (6.2 s), smiles 1, most faces at once 0"
        )
    }

    @Test("tell the faces that are there, and that there is none")
    func metadata() {
        let origin = MessageOrigin(camera: "front", boot: "RUN1")
        let message = MetadataMessage(origin: origin, stamp: stamp(0), faces: [face()])
        #expect(
            plain.line(.metadata(message))
                == "05:12:33.120  metadata     face 1 at 50%,50% size 40%×60% roll -3° yaw 8° pitch -2° smiling left eye closed"
        )
        let empty = MetadataMessage(origin: origin, stamp: stamp(0), faces: [])
        #expect(plain.line(.metadata(empty)) == "05:12:33.120  metadata     no face")
    }

    @Test("any number is survived", arguments: [1e300, -1e300, 1e18, 9.3e16, .infinity, .nan])
    func hostileNumbers(number: Double) {
        var face = face()
        face.bounds = NormalizedRect(x: number, y: 0, width: number, height: number)
        face.pose = HeadPose(roll: number, yaw: number, pitch: number)
        let origin = MessageOrigin(camera: "front", boot: "RUN1")
        let metadata = plain.line(.metadata(MetadataMessage(origin: origin, stamp: stamp(0), faces: [face])))
        #expect(metadata.contains("face 1 at"))
        let leave = FaceEvent.Kind.leave(dwell: number, lastSeen: stamp(0).time, reason: .left)
        #expect(plain.line(.event(event(leave))).contains("after"))
    }

    @Test("nothing that others sent acts on the terminal")
    func hostileWords() {
        let status = DaemonStatus(state: .online, detail: "\u{1B}[31mX\u{1B}]0;pwned\u{7}\u{9B}2J\u{202E}\n\u{2028}ü")
        let line = plain.line(.status(status, from: MessageOrigin(camera: "a", boot: "b")))
        #expect(line.hasSuffix("online –  [31mX ]0;pwned  2J   ü"))
    }

    @Test("JSON stays the same JSON, on one line that acts on no terminal")
    func json() throws {
        let payload = "{\r\n\t\"a\":\"\u{7F}\u{9B}\u{202E}\u{E0001}ü\\u001b\"}"
        let line = String(decoding: JSONText.onOneLine(Array(payload.utf8)), as: UTF8.self)
        #expect(line == "{   \"a\":\"\\u007f\\u009b\\u202e\\udb40\\udc01ü\\u001b\"}")
        let values = try [payload, line].map { try JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
        #expect(values[0] == values[1])
        // A payload that is not JSON must not control the terminal either.
        #expect(JSONText.onOneLine([0x1B, 0x9B, 0x41]) == Array("\\u001b\u{FFFD}A".utf8))
    }

    @Test("tell the daemon's condition and what it lacks")
    func status() {
        var status = DaemonStatus(state: .online, cameraState: .lost, reason: "unplugged", detail: "no device")
        status.attention = [.tooDark]
        let line = plain.line(.status(status, from: MessageOrigin(camera: "front", boot: "RUN1")))
        #expect(line.hasSuffix("status       online camera lost (unplugged) – no device – attention: too_dark"))
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
            of: .event(event(.blink(eyes: .left, duration: 0.2), frame: 6)),
            payload: Array(#"{"x":1}"#.utf8)
        )
        #expect(fields["FACET_EVENT"] == "blink" && fields["FACET_FACE"] == "1" && fields["FACET_CAMERA"] == "front")
        #expect(fields["FACET_EYES"] == "left" && fields["FACET_DURATION"] == "0.2" && fields["FACET_SEQ"] == "1")
        #expect(fields["FACET_JSON"] == #"{"x":1}"# && fields["FACET_X"] == nil && fields["FACET_MEDIA_TIME"] == "0.2")
        #expect(fields["FACET_TIME"] == "2026-11-21T04:12:33.320456Z" && fields["FACET_YAW"] == "8.1")
        #expect(fields["FACET_DWELL"] == nil && fields["FACET_REASON"] == nil)
    }

    @Test("find what other messages say")
    func otherFields() {
        let origin = MessageOrigin(camera: "front", boot: "1")
        func fields(_ message: DaemonMessage) -> [String: String] { EventCommand.fields(of: message, payload: []) }
        let count = fields(.count(2))
        #expect(count["FACET_EVENT"] == "count" && count["FACET_COUNT"] == "2" && count["FACET_FACE"] == nil)
        let status = fields(.status(DaemonStatus(state: .online, cameraState: .lost, reason: "busy"), from: origin))
        #expect(status["FACET_STATE"] == "online" && status["FACET_CAMERA_STATE"] == "lost")
        #expect(status["FACET_REASON"] == "busy" && status["FACET_CAMERA"] == "front")
        var totals = DayTotals(since: Timestamp(nanoseconds: 0))
        totals.visits = 3
        #expect(fields(.today(totals, from: origin))["FACET_VISITS"] == "3")
        #expect(fields(.detectState(false))["FACET_DETECT"] == "OFF")
        var last = event(.leave(dwell: 1, lastSeen: Timestamp(nanoseconds: 0), reason: .left))
        last.faces = 0
        #expect(fields(.event(last))["FACET_FACES"] == "0")
    }

    @Test("run for an event that is too long for a variable too, without it")
    func longEvent() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("out")
        let command = EventCommand(
            command: "echo \"${FACET_JSON-none} $FACET_EVENT\" >\"$OUT\"".replacing("$OUT", with: file)
        )
        for (bytes, hasJSON) in [(131_060, true), (131_061, false), (1 << 20, false)] {
            let payload = [UInt8](repeating: UInt8(ascii: "7"), count: bytes)
            #expect(await command.run(.event(event(.smile)), payload: payload) == nil)
            #expect(try String(contentsOfFile: file, encoding: .utf8).hasSuffix(hasJSON ? "7 smile\n" : "none smile\n"))
        }
    }

    @Test("are over when the shell is, whatever goes on in the background", .timeLimit(.minutes(1)))
    func background() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("pid")
        let command = EventCommand(command: "sleep 3600 & echo $! >'\(file)'")
        #expect(await command.run(.event(event(.smile)), payload: []) == nil)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let sleeper = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        // The face was still shown, and is not any more.
        #expect(kill(sleeper, SIGKILL) == 0)
    }

    @Test("get nothing of ours but output and errors, and signals as a shell gives them", .timeLimit(.minutes(5)))
    func inheritance() async throws {
        let directory = try TemporaryDirectory()
        // Without O_CLOEXEC.
        let descriptor = open(directory.path, O_RDONLY)
        defer { close(descriptor) }
        let closed = EventCommand(command: "test ! -e /proc/$$/fd/\(descriptor)")
        #expect(await closed.run(.event(event(.smile)), payload: []) == nil)
        let signals = EventCommand(command: "grep -q '^SigBlk:\t0*$' /proc/self/status && ! read -r line")
        #expect(await signals.run(.event(event(.smile)), payload: []) == nil)
    }

    @Test("that cannot be started say why", .timeLimit(.minutes(5)))
    func tooLarge() async {
        // Linux takes no argument or variable of more than 128 KiB.
        let command = EventCommand(command: "true " + String(repeating: "a", count: 1 << 18))
        let problem = await command.run(.event(event(.smile)), payload: [])
        #expect(problem == "the command for smile could not be started: Argument list too long")
    }

    @Test("run in a shell, and tell how they failed", .timeLimit(.minutes(5)))
    func run() async {
        let good = EventCommand(command: "test \"$FACET_EVENT\" = smile")
        #expect(await good.run(.event(event(.smile)), payload: []) == nil)
        #expect(await good.run(.event(event(.enter)), payload: []) == "the command for enter ended with status 1")
        let ended = await EventCommand(command: "kill -KILL $$").run(.event(event(.smile)), payload: [])
        #expect(ended == "the command for smile was ended by signal 9")
    }
}

@Suite("What facet watch does with messages")
struct EventWatchTests {
    private func check(_ names: [String], exec: Bool = false, post: Bool = false) throws {
        let command = exec ? "true" : nil
        _ = try EventWatch(BrokerAccess(), names, isJSON: false, showsFaces: false, command: command, posts: post)
    }

    @Test("is refused where it would do nothing")
    func useless() throws {
        try check([], exec: true, post: true)
        try check(["smile", "count", "today", "status", "detect/state"], exec: true)
        try check(["zones", "metadata"])
        #expect(throws: CommandFailure.self) { try check(["zones"], exec: true) }
        #expect(throws: CommandFailure.self) { try check(["smile", "metadata"], exec: true) }
        #expect(throws: CommandFailure.self) { try check(["count"], post: true) }
    }
}
