import FaceInference
import FaceMessages
import FaceMetadata
import FacetKit
import FacetTestSupport
import Foundation
import Testing

/// What a program that uses the library sees, against what the daemon prints, over every clip there is.
@Suite("The library sees what facetd publishes", .serialized, .timeLimit(.minutes(30)))
struct SessionParityTests {
    /// Every clip of the development clips, and a portrait that is always here.
    private static let clips: [String] = {
        let names = FileManager.default.enumerator(atPath: DevelopmentClips.directory.path)?.compactMap {
            $0 as? String
        }
        let clips = (names ?? []).filter {
            ["mp4", "mov", "webm", "avi", "ogv"].contains(URL(filePath: $0).pathExtension)
        }
        return ["/usr/local/share/facet/grace_hopper.jpg"] + clips.sorted().map(DevelopmentClips.path)
    }()

    @Test("event for event and face for face", arguments: clips)
    func parity(clip: String) async throws {
        let all = "publish=" + Topic.selectable.map(\.rawValue).joined(separator: ",")
        let fields = "metadata.fields=" + FaceObject.OptionalField.allCases.map(\.rawValue).joined(separator: ",")
        let arguments = [
            "--source", clip, "--pace", "asap", "--no-mqtt", "--print", "--set", "camera.name=test", "--set", all,
            "--set", fields,
        ]
        let daemon = try await BuiltProgram.start("facetd", arguments)
        let encoder = MessageEncoder(camera: "test", boot: "")
        var faces: [Int: [[FaceObject]]] = [:]
        var events: [String] = []
        for try await update in try await FaceSession(source: .file(clip)).updates {
            events += update.events.map { describe($0, face: $0.face.faceID.rawValue) }
            guard let stamp = update.stamp,
                case .metadata(let message) = try decode(encoder.metadata(update.faces, at: stamp))
            else { continue }
            faces[stamp.frame, default: []].append(message.faces)
        }
        await daemon.waitUntilEnded()
        #expect(daemon.exitStatus == 0)

        var printed: [String] = []
        for line in daemon.output.split(separator: "\n") where line.hasPrefix("{") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let object, let name = object["topic"] as? String, let payload = object["payload"] as? [String: Any],
                let topic = Topic(rawValue: String(name.dropFirst("faces/".count)))
            else { continue }
            switch try MessageDecoder().decode(try JSONSerialization.data(withJSONObject: payload), on: topic) {
            case .event(let message): printed.append(describe(message.event, face: message.event.face.faceID.rawValue))
            case .metadata(let message):
                #expect(faces[message.stamp.frame]?.contains(message.faces) == true, "frame \(message.stamp.frame)")
            default: continue
            }
        }
        #expect(events == printed)
    }

    /// The topics of a daemon without settings.
    private static let topics = Set(Topic.selected + [.status, .detectState])

    @Test("message for message, in the same order", arguments: clips)
    func messages(clip: String) async throws {
        let arguments = ["--source", clip, "--pace", "asap", "--no-mqtt", "--print", "--set", "camera.name=test"]
        let daemon = try await BuiltProgram.start("facetd", arguments)
        var messages = UpdateMessages(camera: "test", topics: Self.topics, metadata: MetadataOptions())
        var made = messages.begin()
        for try await update in try await FaceSession(source: .file(clip)).updates {
            made += messages.messages(of: update)
        }
        await daemon.waitUntilEnded()
        #expect(daemon.exitStatus == 0)
        let lines = made.map { String(decoding: $0.encoded.line(base: "faces"), as: UTF8.self) }
        try compare(daemon.output, with: lines.joined())
    }

    /// Compares only what does not depend on the frames that a busy machine drops: both programs run in real time.
    @Test("facet watch --source prints what facetd publishes about the same picture")
    func watch() async throws {
        let source = ["--source", "/usr/local/share/facet/grace_hopper.jpg"]
        let printing = ["--no-mqtt", "--print", "--set", "publish=count"]
        let daemon = try await BuiltProgram.start("facetd", source + printing)
        let topics = ["status", "count", "detect/state"]
        let watch = try await BuiltProgram.start("facet", ["watch", "--json"] + topics + source)
        await daemon.waitUntilEnded()
        await watch.waitUntilEnded()
        #expect(watch.output.contains(#""topic":"faces/count","qos":1,"retain":true,"payload":1"#))
        try compare(daemon.output, with: watch.output)
    }

    /// Compares the daemon's output with other lines, without the values that differ from run to run.
    private func compare(_ printed: String, with lines: String) throws {
        let differing = ["boot", "id", "camera", "time", "latencyMs", "since", "lastSeen", "hours"]
        func reduced(_ value: Any) -> Any {
            switch value {
            case let object as [String: Any]: object.filter { !differing.contains($0.key) }.mapValues(reduced)
            case let list as [Any]: list.map(reduced)
            default: value
            }
        }
        func messages(_ text: String) throws -> [String] {
            // The figures come every ten seconds of the clock.
            try text.split(separator: "\n").filter { $0.hasPrefix("{") && !$0.contains("faces/stats") }.map { line in
                let object = reduced(try JSONSerialization.jsonObject(with: Data(line.utf8)))
                let bytes = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        let one = try messages(printed)
        let other = try messages(lines)
        #expect(one.count == other.count && one.count > 4)
        for (one, other) in zip(one, other) where one != other {
            Issue.record("\(one)\nis not\n\(other)")
            break
        }
    }

    /// The development clips with labels.
    private static let labelled: [String] = {
        let labels = DevelopmentClips.directory.appending(path: "truth.json")
        let object = (try? Data(contentsOf: labels)).flatMap { try? JSONSerialization.jsonObject(with: $0) }
        let clips = (object as? [String: Any])?["clips"] as? [String: Any] ?? [:]
        return clips.keys.filter { !$0.hasSuffix(".jpg") }.sorted()
    }()

    @Test(
        "smiles begin and end as with the landmarks of every frame, a tenth of a second apart at most",
        .enabled(if: DevelopmentClips.areHere, "../shared/clips is absent"),
        arguments: labelled.map(DevelopmentClips.path)
    )
    func everyFrame(clip: String) async throws {
        var smiles: [Bool: [(name: String, time: Double)]] = [:]
        for skips in [true, false] {
            var options = FaceSession.Options()
            options.detection.skipsUnchanged = skips
            for try await update in try await FaceSession(source: .file(clip), options: options).updates {
                for event in update.events where [.smile, .smileEnd].contains(Topic(event.kind)) {
                    let name = "\(Topic(event.kind).rawValue) \(event.face.faceID.rawValue)"
                    smiles[skips, default: []].append((name, event.stamp.mediaTime))
                }
            }
        }
        let skipping = smiles[true] ?? []
        let always = smiles[false] ?? []
        #expect(skipping.map(\.name) == always.map(\.name))
        for (one, other) in zip(skipping, always) { #expect(abs(one.time - other.time) <= 0.1, "\(one) \(other)") }
    }

    private func describe(_ event: FaceEvent, face: Int) -> String {
        "\(Topic(event.kind).rawValue) \(face) in frame \(event.stamp.frame)"
    }

    private func decode(_ message: Message) throws -> DaemonMessage {
        try MessageDecoder().decode(message.payload, on: message.topic)
    }
}
