import FaceMessages
import FacetKit
import Foundation
import Testing

@testable import DaemonCore

@Suite(
    "The published contract",
    .enabled(if: Contract.isCheckable, "python3-jsonschema or python3-yaml is missing: run deploy/setup")
)
struct ContractDocumentTests {
    private static let goldenDirectory = Contract.packageDirectory.appending(path: "Tests/FaceMessagesTests/Golden")

    /// The golden payloads, as messages on their topics.
    private static func golden() throws -> [SentMessage] {
        let names = try FileManager.default.contentsOfDirectory(atPath: goldenDirectory.path).sorted()
        return try names.map { name in
            let kind = name.prefix { $0 != "-" && $0 != "." }
            let topic = try #require(Topic(rawValue: String(kind)), "\(name) is named after no topic")
            return try message(try Data(contentsOf: goldenDirectory.appending(path: name)).dropLast(), on: topic)
        }
    }

    /// A payload as a message on its topic, with an event's user properties.
    private static func message(_ payload: Data, on topic: Topic) throws -> SentMessage {
        var message = Message(topic: topic, payload: Array(payload))
        if topic.isEvent { message.cloudEvent = try cloudEvent(of: payload, on: topic) }
        return SentMessage(message)
    }

    private static func cloudEvent(of payload: Data, on topic: Topic) throws -> CloudEventAttributes {
        guard case .event(let event) = try MessageDecoder().decode(payload, on: topic) else {
            throw CocoaError(.coderReadCorrupt)
        }
        return CloudEventAttributes(
            id: event.id,
            camera: event.origin.camera,
            topic: topic,
            time: event.event.stamp.time
        )
    }

    @Test("its files are well formed, refer to each other, and their examples and the will hold")
    func document() throws {
        #expect(try Contract.document().problems == [])
    }

    @Test("it has exactly the daemon's topics, with their quality of service, retention and content type")
    func topics() throws {
        let operations = try Contract.document().operations.filter { $0.address.hasPrefix("{base}/") }
        #expect(Set(operations.map(\.address)) == Set(Topic.allCases.map { $0.name(under: "{base}") }))
        #expect(operations.count == Topic.allCases.count)
        for operation in operations {
            let topic = try #require(Topic(rawValue: String(operation.address.dropFirst("{base}/".count))))
            #expect(operation.contentType == Message(topic: topic, payload: []).contentType)
            #expect(operation.action == (Topic.commands.contains(topic) ? "receive" : "send"))
            guard operation.action == "send" else { continue }
            #expect(operation.qos == topic.qos, "\(topic)")
            #expect(operation.retain == topic.isRetained, "\(topic)")
            if topic.isEvent { #expect(operation.retain == false, "\(topic) is an event") }
        }
    }

    @Test("the golden payloads hold")
    func goldenPayloads() throws {
        let messages = try Self.golden()
        #expect(messages.count >= 11)
        #expect(try Contract.problems(with: messages) == [])
    }

    @Test("the examples in the documentation hold", arguments: ["README.md", "docs/topics.md"])
    func documentation(file: String) throws {
        let path = Contract.packageDirectory.appending(path: file)
        let examples = try String(contentsOf: path, encoding: .utf8).matches(of: /```json\n((?s).*?)```/)
        let messages = try examples.map { example in
            let payload = Data(example.1.utf8)
            let object = try JSONSerialization.jsonObject(with: payload, options: .fragmentsAllowed) as? [String: Any]
            let topic: Topic? =
                switch object {
                case nil: .count
                case .some(let object) where object["faces"] is [Any]: .metadata
                case .some(let object) where object["state"] != nil: .status
                case .some(let object) where object["uptime"] != nil: .stats
                case .some(let object) where object["zones"] != nil: .zones
                case .some(let object) where object["visits"] != nil: .today
                case .some(let object): (object["event_type"] as? String).flatMap(Topic.init(rawValue:))
                }
            return try Self.message(payload, on: try #require(topic, "\(example.1)"))
        }
        #expect(!messages.isEmpty)
        #expect(try Contract.problems(with: messages) == [])
    }

    @Test("every value of every enumeration holds")
    func enumerations() throws {
        #expect(try Contract.problems(with: EveryValue.messages.map { SentMessage($0) }) == [])
    }

    @Test("Home Assistant's discovery message holds, whatever is published")
    func discovery() throws {
        for published in [Set(Topic.selectable), [.smile], []] {
            var settings = Settings()
            (settings.mqtt.topic, settings.camera.name, settings.publish) = ("porch/faces", "porch", published)
            settings.preview.enabled = published.isEmpty
            if !published.isEmpty {
                (settings.homeAssistant.suggestedArea, settings.homeAssistant.supportURL) = (
                    "Hall", "https://help.example"
                )
                let area = try PictureArea(numbers: [0, 0, 1, 1])
                settings.tracking.zones = ["desk", "Tür 2"].map { Zone($0, area) }
            }
            let discovery = HomeAssistantDiscovery(settings: settings, formerZones: ["door"])
            var message = SentMessage(Message(topic: .status, payload: try discovery.payload()))
            message.topic = discovery.topic
            #expect(try Contract.problems(with: [message], base: "porch/faces") == [])
        }
    }

    @Test("what breaks it is refused: each field missing, of another type, and one too many")
    func refusals() throws {
        var broken: [SentMessage] = []
        for original in try Self.golden() {
            guard let object = try? JSONSerialization.jsonObject(with: original.payload) as? [String: Any] else {
                continue
            }
            func add(_ change: (inout [String: Any]) -> Void) throws {
                var object = object
                var message = original
                change(&object)
                message.payload = try JSONSerialization.data(withJSONObject: object)
                broken.append(message)
            }
            for name in object.keys { try add { $0[name] = ["a": "list"] } }
            for name in ["schema", "camera", "boot"] { try add { $0[name] = nil } }
            try add { $0["picture"] = "/9j/4AAQSkZJRg" }
        }
        let accepted = Set(broken.indices).subtracting(Contract.indices(of: try Contract.problems(with: broken)))
        #expect(!broken.isEmpty)
        for index in accepted {
            Issue.record("accepted: \(broken[index].topic) \(String(decoding: broken[index].payload, as: UTF8.self))")
        }
    }

    @Test("a message on a wrong topic, with wrong flags, properties or JSON is refused")
    func wrongEnvelopes() throws {
        let smile = try #require(try Self.golden().first { $0.topic == "faces/smile" })
        let changes: [(inout SentMessage) -> Void] = [
            { $0.topic = "faces/smiles" }, { $0.topic = "faces/blink" }, { $0.topic = "faces/detect/set" },
            { $0.qos = 0 }, { $0.retain = true }, { $0.contentType = nil }, { $0.properties = [] },
            { $0.properties.append(["id", "again"]) }, { $0.properties[1] = ["id", "01JD6Z3KA1B2C3D4E5F6G7H8J0"] },
            { $0.payload = Data() }, { $0.payload = Data("NaN".utf8) }, { $0.payload.append(0x7D) },
        ]
        let broken = changes.map { change in
            var message = smile
            change(&message)
            return message
        }
        let refused = Contract.indices(of: try Contract.problems(with: broken))
        #expect(refused == Set(broken.indices))
    }
}
