import Foundation

/// The discovery message for Home Assistant: one device with its entities and device triggers.
///
/// Field names are those of Home Assistant's MQTT integration, unabbreviated. Device discovery needs release 2024.11. A
/// release ignores fields that are newer than itself, such as `default_entity_id` (2025.10).
struct HomeAssistantDiscovery: Hashable, Sendable {
    var settings: Settings
    /// The names of zones in earlier settings, whose entities must be removed from Home Assistant.
    var formerZones: [String] = []

    private var zones: [String] { settings.tracking.zones.map(\.name) }

    /// The device's id in Home Assistant, made from the base topic, which is unique to each daemon and stays the same.
    /// It has only characters that a discovery topic allows: letters, digits, `_` and `-`.
    private var deviceID: String { "facet-" + OutboxLocation.identifier(ofTopic: settings.mqtt.topic) }

    var topic: String { "\(settings.homeAssistant.prefix)/device/\(deviceID)/config" }

    /// The topic on which Home Assistant publishes `online` when it has started.
    var birthTopic: String { "\(settings.homeAssistant.prefix)/status" }

    /// Returns the discovery message as JSON; equal settings give equal bytes. All its values can be encoded.
    func payload() throws -> [UInt8] {
        let device: JSON = [
            "identifiers": [deviceID], "name": settings.camera.name, "manufacturer": "Facet", "model": "facetd",
            "sw_version": facetVersion, "suggested_area": settings.homeAssistant.suggestedArea,
        ]
        let origin: JSON = [
            "name": "facetd", "sw_version": facetVersion, "support_url": settings.homeAssistant.supportURL,
        ]
        let parts = entities + zoneEntities + Topic.events.flatMap(components)
        let message: [String: Any] = [
            "device": device.present, "origin": origin.present,
            "availability": [availability("value_json.state == 'online'")],
            // Keyed by names that never change: Home Assistant keeps a component that a later message lacks.
            "components": Dictionary(parts.map { ($0.name, $0.fields.present) }) { $1 },
        ]
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try JSONSerialization.data(withJSONObject: message, options: options))
    }

    // MARK: - Entities and triggers

    private var entities: [Component] {
        [
            entity("binary_sensor", "occupancy", "Occupancy", of: .count).with([
                "device_class": "occupancy", "value_template": "{{ 'ON' if value | int(0) > 0 else 'OFF' }}",
            ]),
            entity("sensor", "count", "Faces", of: .count, icon: "account-multiple")
                .with(["state_class": "measurement", "unit_of_measurement": "faces"]),
            entity("binary_sensor", "face-seen", "Face seen", of: .metadata, icon: "face-recognition").with([
                "value_template":
                    "{{ 'ON' if value_json.faces | rejectattr('seen', 'defined') | list | count > 0 else 'OFF' }}"
            ]),
            daily("visits", "Visits today", unit: "visits", icon: "account-clock"),
            daily("looks", "Looks today", unit: "looks", icon: "eye-plus"),
            daily("lookingSeconds", "Looked at today", unit: "s", icon: "timer-outline")
                .with(["device_class": "duration"]),
            daily("smiles", "Smiles today", unit: "smiles", icon: "emoticon-happy-outline"),
            daily("mostFaces", "Most faces today", unit: "faces", icon: "account-group"),
            entity("binary_sensor", "smiling-now", "Smiling now", of: .metadata, icon: "emoticon-happy")
                .with(whileSome("face.smiling")),
            entity("binary_sensor", "looked-at", "Looked at", of: .metadata, if: isLookingPublished, icon: "eye-check")
                .with(whileSome("face.looking")),
            // Disabled by default, because Home Assistant's recorder would store two changes of state for each blink.
            entity("binary_sensor", "eyes-closed-now", "Eyes closed now", of: .metadata, icon: "eye-off")
                .with(whileSome("face.leftEyeClosed", "face.rightEyeClosed")).with(["enabled_by_default": false]),
            entity("switch", "detect", "Detection", of: .detectState, icon: "face-recognition").with([
                "command_topic": name(.detectSet), "payload_on": "ON", "payload_off": "OFF",
                // A retained command would be carried out again and again.
                "retain": false,
            ]),
            smileSetting("level", SmileSettings.levels, step: 0.05, icon: "emoticon-happy"),
            smileSetting("hold", SmileSettings.holds, step: 0.1, icon: "timer-sand").with([
                "unit_of_measurement": "s", "device_class": "duration",
            ]),
            entity("binary_sensor", "camera", "Camera problem", of: .status).with([
                "device_class": "problem", "entity_category": "diagnostic", "json_attributes_topic": name(.status),
                "value_template": "{{ 'ON' if value_json.cameraState | default('') == 'lost' else 'OFF' }}",
            ]),
            entity("sensor", "reason", "Camera reason", of: .status, icon: "camera-off").with([
                "entity_category": "diagnostic", "value_template": "{{ value_json.reason | default('none') }}",
            ]),
            entity("sensor", "attention", "Attention", of: .status, icon: "alert-circle-outline").with([
                "entity_category": "diagnostic",
                "value_template": "{{ value_json.attention | default([]) | join(', ') or 'none' }}",
            ]),
            entity("sensor", "frame-rate", "Frame rate", of: .stats, icon: "speedometer").with([
                "entity_category": "diagnostic", "state_class": "measurement", "unit_of_measurement": "fps",
                // Rounded, so that a rate that wavers by a tenth does not count as a change of state.
                "value_template": "{{ value_json.frameRate | round(0) | int }}",
            ]),
            // A camera, not an image: an image entity changes its state with each picture.
            entity("camera", "preview", "Preview", of: .previewJPEG),
        ]
    }

    /// Makes the entity that shows and sets one number of `SmileSettings`.
    private func smileSetting(_ field: String, _ range: ClosedRange<Double>, step: Double, icon: String) -> Component {
        entity("number", "smile-\(field)", "Smile \(field)", of: .status, icon: icon).with([
            "entity_category": "config", "mode": "box", "min": range.lowerBound, "max": range.upperBound, "step": step,
            "value_template": "{{ (value_json.smile | default({})).\(field) | default('None') }}",
            "command_topic": name(.smileSet), "command_template": #"{"\#(field)": {{ value }}}"#, "retain": false,
        ])
    }

    /// Makes the entity for one of today's totals, which only grows until midnight.
    private func daily(_ field: String, _ name: String, unit: String, icon: String) -> Component {
        entity("sensor", name.lowercased().replacing(" ", with: "-"), name, of: .today, icon: icon).with([
            "state_class": "total_increasing", "unit_of_measurement": unit,
            "value_template": "{{ value_json.\(field) }}",
        ])
    }

    /// The entities of each zone: whether faces are in it, their number, and its switch. The first two are unknown
    /// while the zone is off.
    private var zoneEntities: [Component] {
        (zones + formerZones).flatMap { zone in
            let id = OutboxLocation.identifier(ofTopic: zone)
            let found = "value_json.zones | selectattr('name', 'eq', '\(zone)') | first | default({'faces': 0})"
            let value = "{% set zone = \(found) %}"
            let isOff = "zone.on is defined and not zone.on"
            let isThere = zones.contains(zone)
            return [
                entity("binary_sensor", "occupied-" + id, zone, of: .zones, if: isThere).with([
                    "device_class": "occupancy",
                    "value_template": "\(value){{ 'None' if \(isOff) else 'ON' if zone.faces > 0 else 'OFF' }}",
                ]),
                entity("sensor", "faces-in-" + id, "\(zone) faces", of: .zones, if: isThere, icon: "map-marker").with([
                    "state_class": "measurement", "unit_of_measurement": "faces",
                    "value_template": "\(value){{ 'None' if \(isOff) else zone.faces }}",
                ]),
                entity("switch", "switch-" + id, "\(zone) detection", of: .zones, if: isThere).with([
                    "icon": "mdi:map-marker-check",
                    "value_template": "\(value){{ 'OFF' if \(isOff) else 'ON' }}", "command_topic": name(.zoneSet),
                    "payload_on": Self.command(zone, isOn: true), "payload_off": Self.command(zone, isOn: false),
                    "state_on": "ON", "state_off": "OFF", "retain": false, "availability": nil,
                ]),
            ]
        }
    }

    private static func command(_ zone: String, isOn: Bool) -> String {
        String(decoding: DaemonMessage.zoneSet(ZoneSwitch(zone: zone, isOn: isOn)).encoded.payload, as: UTF8.self)
    }

    /// The names and icons of the event entities. An event that is not listed is named after its topic.
    private static let eventNames: [Topic: (name: String, icon: String)] = [
        .enter: ("Face enters", "account-arrow-right"),
        .leave: ("Face leaves", "account-arrow-left"),
        .smile: ("Smile", "emoticon-happy-outline"),
        .smileEnd: ("Smile ends", "emoticon-neutral-outline"),
        .blink: ("Blink", "eye-outline"),
        .eyesClosed: ("Eyes closed", "eye-off-outline"),
        .eyesOpen: ("Eyes open again", "eye-refresh-outline"),
        .mouthOpen: ("Mouth open", "emoticon-excited-outline"),
        .look: ("Look", "eye-check-outline"),
        .lookAway: ("Look away", "eye-remove-outline"),
        .zoneEnter: ("Zone entered", "map-marker-plus-outline"),
        .zoneLeave: ("Zone left", "map-marker-minus-outline"),
        .sign: ("Sign", "gesture-tap"),
    ]

    private func components(of topic: Topic) -> [Component] {
        let (name, icon) = Self.eventNames[topic] ?? (topic.rawValue.capitalized, "face-recognition")
        // The payload already is what an event entity needs, JSON with an `event_type`. Event entities do not use the
        // device's availability: one that becomes available again restores its last event, and an automation would
        // react to yesterday's smile whenever the daemon starts.
        let entity = entity("event", topic.rawValue, name, of: topic, icon: icon)
            .with(["event_types": [topic.rawValue], "availability": [String]()])
        // A trigger fires on each message and has no state that could change without one.
        let trigger = Component(topic.rawValue + "_trigger", "device_automation", isThere: settings.publishes(topic))
            .with([
                "automation_type": "trigger", "type": topic.rawValue, "subtype": "face",
                "topic": self.name(topic), "qos": 1,
            ])
        return [entity, trigger]
    }

    private var isLookingPublished: Bool { settings.metadata.fields.contains(.looking) }

    /// Makes an entity, or removes it from Home Assistant if its topic is not published. An entity that shows faces is
    /// available only while frames come, because `off` or 0 would otherwise claim that there is no face.
    private func entity(
        _ platform: String,
        _ key: String,
        _ name: String,
        of topic: Topic,
        if isThere: Bool = true,
        icon: String? = nil
    ) -> Component {
        let words = [settings.camera.name, name].compactMap(Self.slug)
        let isOfFaces = [.count, .metadata, .zones].contains(topic)
        let streaming = "value_json.state == 'online' and value_json.cameraState | default('') == 'streaming'"
        let isThere = isThere && settings.publishes(topic)
        return Component(key.replacing("-", with: "_"), platform, isThere: isThere).with([
            "unique_id": "\(deviceID)-\(key)", "name": name, "qos": 1,
            "default_entity_id": words.count == 2 ? "\(platform).\(words.joined(separator: "_"))" : nil,
            "icon": icon.map { "mdi:" + $0 }, platform == "camera" ? "topic" : "state_topic": self.name(topic),
            "availability": isOfFaces ? [availability(streaming)] : nil,
            // A broker that stopped together with the daemon still says afterwards that the daemon is online.
            "expire_after": platform.hasSuffix("sensor") && Self.repeated.contains(topic) ? lifetime : nil,
        ])
    }

    /// The topics that are published at least once per statistics interval, even if nothing has changed.
    static let repeated: [Topic] = [.stats, .count, .metadata, .zones]

    /// How long a value is valid without being repeated, in seconds: three statistics intervals.
    private var lifetime: Int { Int((settings.statsInterval * 3 / .seconds(1)).rounded(.up)) }

    private func name(_ topic: Topic) -> String { topic.name(under: settings.mqtt.topic) }

    private func availability(_ condition: String) -> [String: String] {
        [
            "topic": name(.status), "value_template": "{{ 'online' if \(condition) else 'offline' }}",
            "payload_available": "online", "payload_not_available": "offline",
        ]
    }

    /// Makes the template of an on/off state from the metadata. It is on if all flags are true for at least one face.
    /// It is `None`, Home Assistant's word for unknown, if there are faces but the flags are known for no face.
    private func whileSome(_ flags: String...) -> JSON {
        let known = flags.map { "\($0) is defined" }.joined(separator: " and ")
        let holds = flags.joined(separator: " and ")
        let template =
            "{% set ns = namespace(known=value_json.faces | count == 0, on=false) %}"
            + "{% for face in value_json.faces if \(known) %}"
            + "{% set ns.known = true %}{% if \(holds) %}{% set ns.on = true %}{% endif %}{% endfor %}"
            + "{{ 'ON' if ns.on else 'OFF' if ns.known else 'None' }}"
        return ["value_template": template]
    }

    /// Returns a name as Home Assistant writes it in entity ids; nil if it has non-ASCII letters or no words.
    private static func slug(_ name: String) -> String? {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let words = name.lowercased().split { !($0.isLetter || $0.isNumber) }
        return words.isEmpty ? nil : words.joined(separator: "_")
    }
}

/// An entity or a trigger. If it is not wanted, only its platform is sent, which makes Home Assistant remove it.
private struct Component {
    let name: String
    private let isThere: Bool
    private(set) var fields: JSON

    init(_ name: String, _ platform: String, isThere: Bool) {
        self.name = name
        self.isThere = isThere
        fields = ["platform": platform]
    }

    func with(_ fields: JSON) -> Component {
        var component = self
        if isThere { component.fields.merge(fields) { $1 } }
        return component
    }
}

private typealias JSON = [String: Any?]

extension JSON {
    fileprivate var present: [String: Any] { compactMapValues { $0 } }
}
