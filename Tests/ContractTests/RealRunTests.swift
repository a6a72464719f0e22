import FaceMessages
import FacetTestSupport
import Foundation
import MQTT
import Testing

@Suite(
    "The messages of a real run",
    .serialized,
    .enabled(if: Contract.isCheckable, "python3-jsonschema or python3-yaml is missing: run deploy/setup"),
    .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup")
)
struct RealRunTests {
    /// The directory into which the build put the programs: the one of the test bundle's executable.
    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path
    private static let portrait = "/usr/local/share/facet/astronaut.png"
    private static let base = "porch/faces"
    private static let device = "homeassistant/device/facet-porch-faces/config"

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func facetd(_ broker: MosquittoBroker, _ arguments: [String]) async throws -> ChildProcess {
        try await ChildProcess(
            Self.programs + "/facetd",
            ["--mqtt", "mqtt://127.0.0.1:\(broker.port)", "--topic", Self.base, "--set", "camera.name=front porch"]
                + arguments,
            environment: ["XDG_STATE_HOME": directory.path]
        )
    }

    private func demoClip() async throws -> String {
        let clip = directory.file("portrait.mp4")
        let program = try await ChildProcess(Self.programs + "/demo-clip", [clip])
        await program.waitUntilEnded()
        try #require(FileManager.default.fileExists(atPath: clip), "\(program.output)")
        return clip
    }

    @Test("of a clip, with all that can be sent but pictures", .timeLimit(.minutes(10)))
    func clip() async throws {
        let clip = try await demoClip()
        let broker = try await MosquittoBroker()
        let tap = try await WireTap(on: broker)
        // Each frame is analysed, because too few of them on a busy machine would rightly mean no blinks.
        let daemon = try await facetd(
            broker,
            [
                "--source", clip, "--pace", "asap", "--set", "homeassistant.discovery=true", "--set",
                "zones.middle.area=0.25,0.1,0.5,0.8", "--set", "ignore.corner=0,0,0.1,0,0,0.1",
            ]
        )
        await daemon.waitUntilEnded()
        let received = try await tap.finish()
        let (messages, mismatches) = tap.sent(received)
        #expect(mismatches == [])
        #expect(try Contract.problems(with: messages, base: Self.base) == [], "\(daemon.output)")

        let topics = Set(messages.map(\.topic))
        // How long the run takes is open, so the figures are waited for in the next test.
        let expected: [Topic] = [
            .metadata, .enter, .leave, .smile, .blink, .zoneEnter, .zoneLeave, .count, .zones, .status, .detectState,
        ]
        #expect(topics.isSuperset(of: expected.map { $0.name(under: Self.base) } + [Self.device]))
        for topic in Topic.allCases where topic.isEvent {
            #expect(messages.allSatisfy { $0.topic != topic.name(under: Self.base) || !$0.retain })
        }
        #expect(messages.allSatisfy { !$0.holdsPicture })
        #expect(!topics.contains(Topic.previewJPEG.name(under: Self.base)))

        // A subscriber that comes later receives the states, never an event.
        let later = try await WireTap(on: broker)
        let kept = try await later.finish()
        let states = Topic.allCases.filter(\.isRetained).map { $0.name(under: Self.base) } + [Self.device]
        #expect(Set(kept.map(\.topic)) == Set(states))
        #expect(kept.allSatisfy { $0.retain })
    }

    @Test("with pictures, detection off and on, Home Assistant's start, and the will", .timeLimit(.minutes(5)))
    func commands() async throws {
        let broker = try await MosquittoBroker()
        let tap = try await WireTap(on: broker)
        let daemon = try await facetd(
            broker,
            [
                "--source", Self.portrait, "--loop", "--set", "homeassistant.discovery=true",
                "--set", "stats.interval=1s", "--set", "preview.enabled=true",
            ]
        )
        let enter = Topic.enter.name(under: Self.base)
        let state = Topic.detectState.name(under: Self.base)
        try await tap.wait { $0.topic == enter }
        tap.command("OFF", on: Topic.detectSet.name(under: Self.base))
        try await tap.wait { $0.topic == state && $0.text == "OFF" }
        tap.command("ON", on: Topic.detectSet.name(under: Self.base))
        try await tap.wait { $0.topic == enter }
        tap.command("offline", on: "homeassistant/status")
        tap.command("online", on: "homeassistant/status")
        try await tap.wait { $0.topic == Self.device }
        try await tap.wait { $0.topic == Topic.previewJPEG.name(under: Self.base) }
        try await tap.wait { $0.topic == Topic.stats.name(under: Self.base) }
        #expect(tap.publishCount(on: Self.device) == 2)
        daemon.signal(SIGKILL)
        var will: MQTTMessage?
        try await tap.wait { message in
            guard message.topic == Topic.status.name(under: Self.base), message.text.contains("offline") else {
                return false
            }
            will = message
            return true
        }
        let received = try await tap.finish()
        let (messages, mismatches) = tap.sent(received.filter { $0 != will })
        #expect(mismatches == [])
        #expect(try Contract.problems(with: messages, base: Self.base) == [], "\(daemon.output)")
        // The log does not tell the will's flags: a subscriber that comes later sees that it is retained.
        let later = try await WireTap(on: broker)
        let kept = try await later.finish().first { $0.topic == Topic.status.name(under: Self.base) }
        #expect(kept?.payload == will?.payload)
        let asSent = try #require(will.map { SentMessage($0, qos: 1, retain: true) })
        #expect(try Contract.problems(with: [asSent], base: Self.base) == [])
    }

    @Test(
        "take the device back from Home Assistant once discovery is off, and say no more of it",
        .timeLimit(.minutes(5))
    )
    func removal() async throws {
        let broker = try await MosquittoBroker()
        let still = ["--source", Self.portrait, "--pace", "asap"]
        func run(_ arguments: [String]) async throws -> String? {
            await (try facetd(broker, still + arguments)).waitUntilEnded()
            let tap = try await WireTap(on: broker)
            return try await tap.finish().first { $0.topic == Self.device }?.text
        }
        let told = try await run(["--set", "homeassistant.discovery=true"])
        #expect(told?.contains(#""components""#) == true)
        for _ in 0..<2 {
            let kept = try await run([])
            #expect(kept == nil)
        }
        let publishes = broker.log.matches(of: /Received PUBLISH from \S+ \([^']*'homeassistant[^)]*\((\d+) bytes/)
        #expect(publishes.map { $0.1 == "0" } == [false, true], "told once, removed once, then silence")
    }
}

extension SentMessage {
    /// Whether a JPEG or a PNG is in it, as bytes or as text.
    var holdsPicture: Bool {
        let marks = [Data([0xFF, 0xD8, 0xFF]), Data([0x89, 0x50, 0x4E, 0x47]), Data("/9j/".utf8), Data("iVBOR".utf8)]
        return contentType?.hasPrefix("image/") == true || marks.contains { payload.firstRange(of: $0) != nil }
    }
}
