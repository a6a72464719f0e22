import FaceMessages
import FacetKit
import Foundation
import Logging
import MQTT
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
        "default_entity_id",
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
            "retain", "payload_on", "payload_off", "state_on", "state_off",
        ],
        "number": [
            "state_topic", "value_template", "device_class", "command_topic", "command_template", "optimistic",
            "retain",
            "min", "max", "step", "mode", "unit_of_measurement", "payload_reset",
        ],
        "camera": ["topic", "image_encoding"],
        "device_automation": ["automation_type", "type", "subtype", "topic", "payload", "value_template"],
    ]

    private func discovery(
        base: String = "faces",
        camera: String = "front",
        published: Set<Topic> = Set(Topic.selectable),
        zones: [String] = ["desk"],
        formerZones: [String] = [],
        hasPreview: Bool = true
    ) -> HomeAssistantDiscovery {
        var settings = Settings()
        settings.homeAssistant = .init(prefix: "ha", suggestedArea: "Hall", supportURL: "https://help.example")
        (settings.mqtt.topic, settings.camera.name) = (base, camera)
        (settings.publish, settings.preview.enabled) = (published, hasPreview)
        settings.metadata.fields = Set(FaceObject.OptionalField.allCases)
        if let area = try? PictureArea(numbers: [0, 0, 1, 1]) {
            settings.tracking.zones = zones.map { Zone($0, area) }
        }
        return HomeAssistantDiscovery(settings: settings, formerZones: formerZones)
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
        #expect(device["sw_version"] as? String == facetVersion)
        #expect(device["suggested_area"] as? String == "Hall")
        let origin = try #require(message["origin"] as? [String: Any])
        #expect(Set(origin.keys) == ["name", "sw_version", "support_url"])
        for (name, component) in try components(discovery()) {
            let platform = try #require(component["platform"] as? String)
            let known = try #require(Self.platformFields[platform], "\(name): \(platform)")
            let unknown = Set(component.keys).subtracting(known).subtracting(Self.commonFields)
            #expect(unknown.isEmpty, "\(name): \(unknown)")
        }
    }

    @Test(
        "has an event entity for each event, of the type that its payload names",
        arguments: Topic.events
    )
    func events(topic: Topic) throws {
        let component = try #require(try components(discovery(base: "porch/faces"))[topic.rawValue])
        #expect(component["platform"] as? String == "event")
        #expect(component["state_topic"] as? String == "porch/faces/" + topic.rawValue)
        #expect(component["event_types"] as? [String] == [topic.rawValue])
        #expect(component["value_template"] == nil, "the payload is JSON with an event_type as it is")
        let trigger = try #require(try components(discovery(base: "porch/faces"))[topic.rawValue + "_trigger"])
        #expect(trigger["platform"] as? String == "device_automation")
        #expect(trigger["automation_type"] as? String == "trigger")
        #expect(trigger["type"] as? String == topic.rawValue)
        #expect(trigger["topic"] as? String == "porch/faces/" + topic.rawValue)
        #expect(trigger["payload"] == nil, "each message is one occurrence")
    }

    @Test("has a switch for detection, occupancy, count, the camera's condition, and pictures")
    func others() throws {
        let components = try components(discovery())
        #expect(components["detect"]?["state_topic"] as? String == "faces/detect/state")
        #expect(components["detect"]?["command_topic"] as? String == "faces/detect/set")
        #expect(components["detect"]?["retain"] as? Bool == false, "a kept command would be obeyed again and again")
        #expect(components["smile_level"]?["platform"] as? String == "number")
        #expect(components["smile_level"]?["command_topic"] as? String == "faces/smile/set")
        #expect(components["smile_hold"]?["command_template"] as? String == #"{"hold": {{ value }}}"#)
        #expect(components["occupancy"]?["device_class"] as? String == "occupancy")
        #expect(components["occupancy"]?["state_topic"] as? String == "faces/count")
        #expect(components["count"]?["state_class"] as? String == "measurement")
        #expect(components["camera"]?["device_class"] as? String == "problem")
        #expect(components["preview"]?["topic"] as? String == "faces/preview/jpeg")
        #expect(components["preview"]?["state_topic"] == nil)
        let entities = components.values.filter { $0["platform"] as? String != "device_automation" }
        let identifiers = entities.compactMap { $0["unique_id"] as? String }
        #expect(identifiers.count == entities.count)
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test("has occupancy and the number of faces of each zone, and removes those of a zone that is gone")
    func zones() throws {
        let components = try components(discovery(zones: ["desk", "Tür 2"], formerZones: ["door"]))
        #expect(components["occupied_desk"]?["state_topic"] as? String == "faces/zones")
        #expect(components["occupied_desk"]?["device_class"] as? String == "occupancy")
        #expect(components["occupied_desk"]?["default_entity_id"] as? String == "binary_sensor.front_desk")
        #expect(components["faces_in_T_C3_BCr_202"]?["name"] as? String == "Tür 2 faces")
        #expect(components["switch_desk"]?["command_topic"] as? String == "faces/zones/set")
        #expect(components["switch_desk"]?["payload_off"] as? String == #"{"schema":1,"zone":"desk","on":false}"#)
        for gone in [components["occupied_door"], components["faces_in_door"], components["switch_door"]] {
            #expect(gone.map { Set($0.keys) } == ["platform"])
        }
        // Without zones there is nothing that could enter one.
        let none = try self.components(discovery(zones: []))
        #expect(none["zone_enter"].map { Set($0.keys) } == ["platform"])
        #expect(none["zone_leave_trigger"].map { Set($0.keys) } == ["platform"])
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

    @Test(
        "what depends on frames is available only while the camera streams: off and 0 would mean that nobody is there"
    )
    func availableWhileStreaming() throws {
        let components = try components(discovery())
        let ofFrames: Set = [
            "occupancy", "count", "smiling_now", "eyes_closed_now", "looked_at", "face_seen", "occupied_desk",
            "faces_in_desk",
        ]
        for (name, component) in components where component["platform"] as? String != "event" {
            let availability = component["availability"] as? [[String: String]]
            #expect((availability?.count == 1) == ofFrames.contains(name), "\(name)")
            guard let availability = availability?.first else { continue }
            #expect(availability["topic"] == "faces/status")
            let template = try #require(availability["value_template"])
            #expect(template.contains("value_json.state == 'online' and"))
            #expect(template.contains("value_json.cameraState | default('') == 'streaming'"))
        }
    }

    @Test("removes the sensor of looks where metadata does not say who looks")
    func withoutLooking() throws {
        var discovery = discovery()
        #expect(try components(discovery)["looked_at"]?["state_topic"] as? String == "faces/metadata")
        discovery.settings.metadata.fields = [.gaze]
        #expect(try components(discovery)["looked_at"]?.keys.sorted() == ["platform"])
    }

    @Test("names entities by the camera and what they are, unless that takes a transliteration")
    func entityIDs() throws {
        let components = try components(discovery(camera: "Front  Door (2)"))
        #expect(components["smile"]?["default_entity_id"] as? String == "event.front_door_2_smile")
        #expect(components["camera"]?["default_entity_id"] as? String == "binary_sensor.front_door_2_camera_problem")
        for camera in ["Tür", "--"] {
            let components = try self.components(discovery(camera: camera))
            #expect(components.values.allSatisfy { $0["default_entity_id"] == nil }, "\(camera)")
        }
    }

    @Test("removes the entities of messages that are not published")
    func unpublished() throws {
        let components = try components(discovery(published: [.smile], hasPreview: false))
        let kept: Set = [
            "smile", "smile_trigger", "detect", "smile_level", "smile_hold", "camera", "reason", "attention",
            "frame_rate",
        ]
        for (name, component) in components {
            #expect(kept.contains(name) == (component.count > 1), "\(name)")
            if !kept.contains(name) { #expect(Set(component.keys) == ["platform"], "\(name)") }
        }
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

    /// What the templates make of messages, by the template engine that Home Assistant uses.
    @Test(
        "its templates give what Home Assistant's template engine is meant to read",
        .enabled(if: Templates.isRunnable, "python3-jinja2 is missing: run deploy/setup"),
        arguments: [
            ("smiling_now", #"{"faces":[]}"#, "OFF"),
            ("smiling_now", #"{"faces":[{"faceID":1}]}"#, "None"),
            ("smiling_now", #"{"faces":[{"faceID":1},{"faceID":2,"smiling":false}]}"#, "OFF"),
            ("smiling_now", #"{"faces":[{"smiling":false},{"smiling":true},{"faceID":1}]}"#, "ON"),
            ("eyes_closed_now", #"{"faces":[{"leftEyeClosed":true,"rightEyeClosed":false}]}"#, "OFF"),
            ("eyes_closed_now", #"{"faces":[{"leftEyeClosed":true,"rightEyeClosed":true}]}"#, "ON"),
            ("eyes_closed_now", #"{"faces":[{"leftEyeClosed":true}]}"#, "None"),
            ("occupancy", "2", "ON"), ("occupancy", "0", "OFF"), ("occupancy", "", "OFF"),
            ("face_seen", #"{"faces":[]}"#, "OFF"), ("face_seen", #"{"faces":[{"seen":false}]}"#, "OFF"),
            ("face_seen", #"{"faces":[{"seen":false},{"faceID":2}]}"#, "ON"),
            ("camera", #"{"state":"online","cameraState":"lost","reason":"unplugged"}"#, "ON"),
            ("camera", #"{"state":"offline"}"#, "OFF"),
            ("reason", #"{"state":"online","cameraState":"lost","reason":"unplugged"}"#, "unplugged"),
            ("reason", #"{"state":"offline"}"#, "none"),
            ("attention", #"{"state":"online","attention":["too_dark","too_small"]}"#, "too_dark, too_small"),
            ("attention", #"{"state":"online","attention":[]}"#, "none"),
            ("attention", #"{"state":"offline"}"#, "none"),
            ("frame_rate", #"{"frameRate":29.97}"#, "30"),
        ]
    )
    func templates(component: String, payload: String, expected: String) throws {
        let template = try #require(try components(discovery())[component]?["value_template"] as? String)
        #expect(try Templates.render(template, payload) == expected)
    }

    @Test(
        "the availability templates hold for each status",
        .enabled(if: Templates.isRunnable, "python3-jinja2 is missing: run deploy/setup"),
        arguments: [
            (#"{"state":"online","cameraState":"streaming"}"#, "online", "online"),
            (#"{"state":"online","cameraState":"starting"}"#, "online", "offline"),
            (#"{"state":"online","cameraState":"lost"}"#, "online", "offline"),
            (#"{"state":"online","cameraState":"disabled"}"#, "online", "offline"),
            (#"{"state":"stopped","cameraState":"streaming"}"#, "offline", "offline"),
            (#"{"state":"offline"}"#, "offline", "offline"),
        ]
    )
    func availabilityTemplates(status: String, device: String, occupancy: String) throws {
        let ofDevice = try #require(try object(discovery())["availability"] as? [[String: String]])
        let ofOccupancy = try #require(try components(discovery())["occupancy"]?["availability"] as? [[String: String]])
        #expect(try ofDevice.map { try Templates.render($0["value_template"], status) } == [device])
        #expect(try ofOccupancy.map { try Templates.render($0["value_template"], status) } == [occupancy])
    }

    @Test("is the same bytes each time")
    func stable() throws {
        #expect(try discovery().payload() == discovery().payload())
    }
}

/// Jinja, the template engine of Home Assistant, with an undefined value as an error: Home Assistant would log a
/// warning for each.
private enum Templates {
    static let isRunnable = (try? render("{{ 1 }}", "")) == "1"

    static func render(_ template: String?, _ payload: String) throws -> String {
        let program = """
            import sys, json, jinja2
            def integer(value, default=None):
                try: return int(float(value))
                except ValueError: return default
            e = jinja2.Environment(undefined=jinja2.StrictUndefined)
            e.filters['int'] = integer
            try: value = json.loads(sys.argv[2])
            except ValueError: value = None
            print(e.from_string(sys.argv[1]).render(value=sys.argv[2], value_json=value))
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", program, template ?? "", payload]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

@Suite("Topics that an earlier run used")
struct AnnouncedTopicsTests {
    private let store = Outbox()

    /// The topics that a run empties, which announces under a prefix, or nothing without one, to a broker that takes
    /// everything or nothing.
    private func emptied(
        announcing prefix: String?,
        publishing topics: Set<Topic> = Settings().publish,
        isDelivered: Bool = true
    ) async throws -> [String] {
        var settings = Settings()
        settings.publish = topics
        settings.homeAssistant.discovery = prefix != nil
        settings.homeAssistant.prefix = prefix ?? "off"
        let logger = Logger(label: "test")
        let broker = BrokerSettings(host: "127.0.0.1", clientID: "test")
        let connection = try BrokerConnection(settings: broker, logger: logger)
        let announcer = HomeAssistantAnnouncer(settings, store: store, connection: connection, logger: logger)
        try await announcer.begin()
        var report = await connection.stop()
        let own = HomeAssistantDiscovery(settings: settings).topic
        #expect(report.unsentTopics.contains(own) == (prefix != nil))
        let emptied = report.unsentTopics.filter { $0 != own }
        // What the broker did not take may be any state, also the run's own announcement.
        report.unsentTopics = isDelivered ? [own, "other"] : report.unsentTopics
        try await announcer.end(report)
        return emptied.map { $0.replacing(/\/device.*/, with: "") }
    }

    @Test("what an earlier run announced elsewhere is emptied, and forgotten once the broker has that")
    func lifecycle() async throws {
        #expect(try await emptied(announcing: "a") == [])
        #expect(try await emptied(announcing: "a") == [])
        #expect(try await emptied(announcing: "b") == ["a"])
        #expect(try await emptied(announcing: "b") == [], "the broker has that")
        #expect(try await emptied(announcing: nil, isDelivered: false) == ["b"])
        #expect(try await emptied(announcing: "c", isDelivered: false) == ["b"], "the broker did not get it")
        #expect(try await emptied(announcing: nil) == ["b", "c"])
        #expect(try await emptied(announcing: nil) == [])
    }

    @Test("retained figures that are no longer published are emptied once, and a device with them")
    func figures() async throws {
        #expect(try await emptied(announcing: nil) == [])
        let figures = ["faces/count", "faces/metadata", "faces/today", "faces/zones"]
        #expect(try await emptied(announcing: "a", publishing: [.smile], isDelivered: false).sorted() == figures)
        #expect(try await emptied(announcing: nil, publishing: [.smile]).sorted() == ["a"] + figures)
        #expect(try await emptied(announcing: nil, publishing: [.smile]) == [])
        #expect(try await emptied(announcing: nil, publishing: [.count]) == [])
        #expect(try await emptied(announcing: nil, publishing: []) == ["faces/count"])
    }
}

@Suite("The memory of detection")
struct LastSwitchTests {
    @Test("holds the last switch over a restart, if that is wanted; else it is forgotten")
    func lifecycle() async throws {
        let store = Outbox()
        let first = Ledger(store: store, keepsSwitch: true)
        #expect(first.lastSwitch == nil)
        try await first.keep(switch: false)
        #expect(Ledger(store: store, keepsSwitch: true).lastSwitch == false)
        try await first.keep(switch: true)
        #expect(Ledger(store: store, keepsSwitch: true).lastSwitch == true)
        try await first.keep(switch: false)
        let unwanted = Ledger(store: store, keepsSwitch: false)
        #expect(unwanted.lastSwitch == nil)
        try await unwanted.keep(switch: false)
        #expect(Ledger(store: store, keepsSwitch: true).lastSwitch == nil, "a switch of long ago does not come back")
    }
}
