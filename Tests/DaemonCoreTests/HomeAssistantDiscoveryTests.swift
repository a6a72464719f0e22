import FaceMessages
import Foundation
import Testing

@testable import DaemonCore

@Suite("Home Assistant's discovery message")
struct HomeAssistantDiscoveryTests {
    // The fields that Home Assistant's MQTT integration takes, by its documentation; it refuses or ignores others.
    private static let deviceFields: Set = [
        "identifiers", "connections", "manufacturer", "model", "model_id", "name", "hw_version", "serial_number",
        "sw_version", "via_device", "suggested_area", "configuration_url",
    ]
    private static let commonFields: Set = [
        "platform", "unique_id", "name", "icon", "entity_category", "enabled_by_default", "entity_picture",
        "json_attributes_topic", "json_attributes_template", "qos", "encoding", "availability", "availability_mode",
        "availability_topic", "availability_template", "payload_available", "payload_not_available",
    ]
    private static let platformFields: [String: Set<String>] = [
        "event": ["state_topic", "value_template", "event_types", "device_class"],
        "binary_sensor": [
            "state_topic", "value_template", "device_class", "expire_after", "force_update", "off_delay", "payload_on",
            "payload_off",
        ],
        "sensor": [
            "state_topic", "value_template", "device_class", "expire_after", "force_update",
            "last_reset_value_template", "options", "suggested_display_precision", "state_class", "unit_of_measurement",
        ],
        "switch": [
            "state_topic", "value_template", "device_class", "command_topic", "command_template", "optimistic",
            "retain",
            "payload_on", "payload_off", "state_on", "state_off",
        ],
    ]

    private func discovery(
        base: String = "faces",
        published: Set<Settings.Publication> = Set(Settings.Publication.allCases)
    ) -> HomeAssistantDiscovery {
        HomeAssistantDiscovery(prefix: "ha", base: base, camera: "front", version: "1.2.3", published: published)
    }

    private func object(_ discovery: HomeAssistantDiscovery) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(try discovery.payload()))
        return try #require(object as? [String: Any])
    }

    private func components(_ discovery: HomeAssistantDiscovery) throws -> [String: [String: Any]] {
        try #require(try object(discovery)["components"] as? [String: [String: Any]])
    }

    @Test("has only fields that Home Assistant takes")
    func fields() throws {
        let message = try object(discovery())
        #expect(Set(message.keys) == ["device", "origin", "availability", "components"])
        let device = try #require(message["device"] as? [String: Any])
        #expect(Set(device.keys).isSubset(of: Self.deviceFields))
        #expect(device["identifiers"] as? [String] == ["facet-faces"])
        #expect(device["name"] as? String == "front")
        #expect(device["sw_version"] as? String == "1.2.3")
        let origin = try #require(message["origin"] as? [String: Any])
        #expect(Set(origin.keys) == ["name", "sw_version"])
        for (name, component) in try components(discovery()) {
            let platform = try #require(component["platform"] as? String)
            let known = try #require(Self.platformFields[platform], "\(name): \(platform)")
            let unknown = Set(component.keys).subtracting(known).subtracting(Self.commonFields)
            #expect(unknown.isEmpty, "\(name): \(unknown)")
        }
    }

    @Test(
        "has an event entity for each event, of the type that its payload names",
        arguments: [
            Topic.enter, .leave, .smile, .blink, .eyesClosed,
        ]
    )
    func events(topic: Topic) throws {
        let component = try #require(try components(discovery(base: "porch/faces"))[topic.rawValue])
        #expect(component["platform"] as? String == "event")
        #expect(component["state_topic"] as? String == "porch/faces/" + topic.rawValue)
        #expect(component["event_types"] as? [String] == [topic.rawValue])
        #expect(component["value_template"] == nil, "the payload is JSON with an event_type as it is")
    }

    @Test("switches detection, and tells occupancy, count and the camera's trouble")
    func others() throws {
        let components = try components(discovery())
        #expect(components["detect"]?["state_topic"] as? String == "faces/detect/state")
        #expect(components["detect"]?["command_topic"] as? String == "faces/detect/set")
        #expect(components["detect"]?["retain"] as? Bool == false, "a kept command would be obeyed again and again")
        #expect(components["occupancy"]?["device_class"] as? String == "occupancy")
        #expect(components["occupancy"]?["state_topic"] as? String == "faces/count")
        #expect(components["count"]?["state_class"] as? String == "measurement")
        #expect(components["camera"]?["device_class"] as? String == "problem")
        let identifiers = components.values.compactMap { $0["unique_id"] as? String }
        #expect(identifiers.count == components.count)
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test("counts a daemon that stopped as unavailable, not only one that vanished")
    func availability() throws {
        let availability = try #require(try object(discovery())["availability"] as? [[String: String]])
        #expect(availability.map { $0["topic"] } == ["faces/status"])
        let template = try #require(availability.first?["value_template"])
        #expect(template.contains("value_json.state == 'online'") && template.contains("else 'offline'"))
    }

    @Test("lets event entities alone be always available, so that no last event counts as new when the daemon starts")
    func eventAvailability() throws {
        for (name, component) in try components(discovery()) {
            let availability = component["availability"] as? [Any]
            #expect((component["platform"] as? String == "event") == (availability?.isEmpty == true), "\(name)")
        }
    }

    @Test("removes the entities of messages that are not published")
    func unpublished() throws {
        let components = try components(discovery(published: [.smile]))
        for name in ["enter", "leave", "blink", "eyes_closed", "occupancy", "count"] {
            #expect(components[name].map { Set($0.keys) } == ["platform"], "\(name)")
        }
        for name in ["smile", "detect", "camera"] { #expect(components[name]?["unique_id"] != nil, "\(name)") }
    }

    @Test("goes to a topic that Home Assistant takes, another for each base")
    func topics() {
        let bases = ["faces", "porch/faces", "porch-faces", "porch_faces", "porch/faces/", "Türe", "a b", "a_20b"]
        let topics = bases.map { discovery(base: $0).topic }
        #expect(topics.prefix(2) == ["ha/device/facet-faces/config", "ha/device/facet-porch-faces/config"])
        #expect(Set(topics).count == bases.count, "\(topics)")
        #expect(topics.allSatisfy { $0.wholeMatch(of: /ha\/device\/[a-zA-Z0-9_-]+\/config/) != nil }, "\(topics)")
        #expect(discovery().birthTopic == "ha/status")
    }

    @Test("is the same bytes each time")
    func stable() throws {
        #expect(try discovery().payload() == discovery().payload())
    }
}

@Suite("Announced discovery topics")
struct AnnouncedTopicsTests {
    @Test("what an earlier run announced elsewhere is emptied, and forgotten once the broker has that")
    func lifecycle() {
        var first = AnnouncedTopics(stored: nil)
        #expect(first.begin(announcing: "a") == [])
        var same = AnnouncedTopics(stored: first.stored)
        #expect(same.begin(announcing: "a") == [])
        var moved = AnnouncedTopics(stored: first.stored)
        #expect(moved.begin(announcing: "b") == ["a"])
        moved.emptied(["a"], butNot: [])
        #expect(moved.topics == ["b"])
        var off = AnnouncedTopics(stored: moved.stored)
        #expect(off.begin(announcing: nil) == ["b"])
        off.emptied(["b"], butNot: ["b"])
        var again = AnnouncedTopics(stored: off.stored)
        #expect(again.begin(announcing: nil) == ["b"], "the broker did not get it")
        again.emptied(["b"], butNot: ["other"])
        #expect(again.stored == nil)
    }
}
