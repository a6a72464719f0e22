import FaceMessages
import Foundation
import MQTT

/// The device discovery message for Home Assistant: one device with its entities and device triggers.
///
/// Field names are those of Home Assistant's MQTT integration, unabbreviated. Device discovery came with 2024.11; a
/// release ignores fields that are younger than itself, such as `default_entity_id` (2025.10).
struct HomeAssistantDiscovery: Hashable, Sendable {
    /// What Home Assistant's own topics begin with.
    let prefix: String
    /// What the camera's topics begin with.
    let base: String
    /// The camera's name, which the device takes.
    let camera: String
    /// The daemon's version.
    let version: String
    /// Which messages are published; the entities of others are removed.
    let published: Set<Topic>
    /// Whether pictures are published.
    var hasPreview = false
    /// The area that Home Assistant puts a new device into.
    var suggestedArea: String?
    /// The web address that Home Assistant's log names beside problems with the device.
    var supportURL: String?

    /// The device's id in Home Assistant, the same after each start: from the base, which no two daemons share.
    ///
    /// A discovery topic takes letters, digits, `_` and `-` only.
    var deviceID: String { "facet-" + OutboxLocation.identifier(ofTopic: base) }

    /// Where the discovery message goes.
    var topic: String { "\(prefix)/device/\(deviceID)/config" }

    /// Where Home Assistant publishes `online` when it has started.
    var birthTopic: String { "\(prefix)/status" }

    /// The message, the same bytes each time.
    ///
    /// - Throws: `EncodingError`, which the types of its parts rule out.
    func payload() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(device))
    }

    private var device: Device {
        Device(
            device: Device.Identity(
                identifiers: [deviceID],
                name: camera,
                manufacturer: "Facet",
                model: "facetd",
                swVersion: version,
                suggestedArea: suggestedArea
            ),
            origin: Device.Origin(name: "facetd", swVersion: version, supportUrl: supportURL),
            availability: [availability("value_json.state == 'online'")],
            components: components
        )
    }

    private func availability(_ condition: String) -> Device.Availability {
        Device.Availability(
            topic: Topic.status.name(under: base),
            valueTemplate: "{{ 'online' if \(condition) else 'offline' }}"
        )
    }
}

// MARK: - Entities and triggers

extension HomeAssistantDiscovery {
    /// All entities and triggers by their names, which never change: a name that is missing in a later message stays.
    private var components: [String: Component] {
        var components: [String: Component] = [
            "occupancy": entity(.binarySensor, "occupancy", "Occupancy", of: .count) { component in
                component.deviceClass = "occupancy"
                component.valueTemplate = "{{ 'ON' if value | int(0) > 0 else 'OFF' }}"
                component.availability = [whileLooking]
            },
            "count": entity(.sensor, "count", "Faces", of: .count, icon: "account-multiple") { component in
                component.stateClass = "measurement"
                component.unitOfMeasurement = "faces"
                component.availability = [whileLooking]
            },
            "smiling_now": entity(.binarySensor, "smiling-now", "Smiling now", of: .metadata, icon: "emoticon-happy") {
                component in
                component.valueTemplate = Self.flagTemplate("face.smiling")
                component.availability = [whileLooking]
            },
            "eyes_closed_now": entity(
                .binarySensor,
                "eyes-closed-now",
                "Eyes closed now",
                of: .metadata,
                icon: "eye-off"
            ) {
                component in
                component.valueTemplate = Self.flagTemplate("face.leftEyeClosed", "face.rightEyeClosed")
                component.availability = [whileLooking]
                // Each blink would be two changes of state for the recorder.
                component.enabledByDefault = false
            },
            "detect": entity(.switch, "detect", "Detection", of: .detectState, icon: "face-recognition") { component in
                component.commandTopic = Topic.detectSet.name(under: base)
                component.payloadOn = "ON"
                component.payloadOff = "OFF"
                component.retain = false
            },
            "camera": entity(.binarySensor, "camera", "Camera problem", of: .status) { component in
                component.deviceClass = "problem"
                component.entityCategory = "diagnostic"
                component.valueTemplate = "{{ 'ON' if value_json.cameraState | default('') == 'lost' else 'OFF' }}"
                component.jsonAttributesTopic = Topic.status.name(under: base)
            },
            "reason": entity(.sensor, "reason", "Camera reason", of: .status, icon: "camera-off") { component in
                component.entityCategory = "diagnostic"
                component.valueTemplate = "{{ value_json.reason | default('none') }}"
            },
            "attention": entity(.sensor, "attention", "Attention", of: .status, icon: "alert-circle-outline") {
                component in
                component.entityCategory = "diagnostic"
                component.valueTemplate = "{{ value_json.attention | default([]) | join(', ') or 'none' }}"
            },
            "frame_rate": entity(.sensor, "frame-rate", "Frame rate", of: .stats, icon: "speedometer") { component in
                component.entityCategory = "diagnostic"
                component.stateClass = "measurement"
                component.unitOfMeasurement = "fps"
                // Whole frames: a rate that wavers by a tenth is no change for the recorder.
                component.valueTemplate = "{{ value_json.frameRate | round(0) | int }}"
            },
            // A camera, not an image: an image entity changes its state with each picture.
            "preview": entity(.camera, "preview", "Preview", of: .previewJPEG) { component in
                component.stateTopic = nil
                component.topic = Topic.previewJPEG.name(under: base)
            },
        ]
        for topic in Topic.events {
            let (name, icon) = Self.eventNames[topic] ?? (topic.rawValue.capitalized, "face-recognition")
            components[topic.rawValue] = event(topic, name, icon: icon)
            components[topic.rawValue + "_trigger"] = trigger(topic)
        }
        return components
    }

    /// Names and icons of the event entities; an event that is not listed goes by its topic.
    private static let eventNames: [Topic: (name: String, icon: String)] = [
        .enter: ("Face enters", "account-arrow-right"),
        .leave: ("Face leaves", "account-arrow-left"),
        .smile: ("Smile", "emoticon-happy-outline"),
        .smileEnd: ("Smile ends", "emoticon-neutral-outline"),
        .blink: ("Blink", "eye-outline"),
        .eyesClosed: ("Eyes closed", "eye-off-outline"),
    ]

    /// Available only while frames come: without them `off` and 0 would say that there is no face.
    private var whileLooking: Device.Availability {
        availability("value_json.state == 'online' and value_json.cameraState | default('') == 'streaming'")
    }

    /// A template over the metadata: on if all flags hold for some face, unknown if they are known for no face.
    ///
    /// `None` is how MQTT entities say that their state is unknown.
    private static func flagTemplate(_ flags: String...) -> String {
        let known = flags.map { "\($0) is defined" }.joined(separator: " and ")
        let holds = flags.joined(separator: " and ")
        return "{% set ns = namespace(known=value_json.faces | count == 0, on=false) %}"
            + "{% for face in value_json.faces if \(known) %}"
            + "{% set ns.known = true %}{% if \(holds) %}{% set ns.on = true %}{% endif %}{% endfor %}"
            + "{{ 'ON' if ns.on else 'OFF' if ns.known else 'None' }}"
    }

    /// An event entity: its payload already is what Home Assistant wants, JSON with an `event_type`.
    private func event(_ topic: Topic, _ name: String, icon: String) -> Component {
        entity(.event, topic.rawValue, name, of: topic, icon: icon) { component in
            component.eventTypes = [topic.rawValue]
            // Not the device's: an event entity that becomes available again takes up the state of its last event, and
            // an automation that waits for a change would react to yesterday's smile whenever the daemon starts.
            component.availability = []
        }
    }

    /// A device trigger: fires on each message and has no state that could change without one.
    private func trigger(_ topic: Topic) -> Component {
        var component = Component(platform: .deviceAutomation)
        guard isPublished(topic) else { return component }
        component.automationType = "trigger"
        component.type = topic.rawValue
        component.subtype = "face"
        component.topic = topic.name(under: base)
        component.qos = 1
        return component
    }

    /// An entity with the state of a topic; with the platform alone, which removes it, if the topic is not published.
    private func entity(
        _ platform: Component.Platform,
        _ key: String,
        _ name: String,
        of topic: Topic,
        icon: String? = nil,
        _ complete: (inout Component) -> Void
    ) -> Component {
        var component = Component(platform: platform)
        guard isPublished(topic) else { return component }
        component.uniqueId = "\(deviceID)-\(key)"
        component.name = name
        component.defaultEntityId = Self.slug(camera).map { "\(platform.rawValue).\($0)_" + (Self.slug(name) ?? key) }
        component.icon = icon.map { "mdi:" + $0 }
        component.stateTopic = topic.name(under: base)
        component.qos = 1
        complete(&component)
        return component
    }

    private func isPublished(_ topic: Topic) -> Bool {
        guard topic != .previewJPEG else { return hasPreview }
        return !Topic.selectable.contains(topic) || published.contains(topic)
    }

    /// A name as Home Assistant writes it in an entity's id; nil if that takes a transliteration, which Home Assistant
    /// does better.
    private static func slug(_ name: String) -> String? {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let words = name.lowercased().split { !($0.isLetter || $0.isNumber) }
        return words.isEmpty ? nil : words.joined(separator: "_")
    }
}

// MARK: - The message's shape, in Home Assistant's field names but for their underscores

extension HomeAssistantDiscovery {
    /// The whole message.
    struct Device: Encodable {
        /// What the device registry shows.
        struct Identity: Encodable {
            var identifiers: [String]
            var name: String
            var manufacturer: String
            var model: String
            var swVersion: String
            var suggestedArea: String?
        }

        /// Which program the message comes from.
        struct Origin: Encodable {
            var name: String
            var swVersion: String
            var supportUrl: String?
        }

        /// Where an entity's availability is read from.
        struct Availability: Encodable {
            var topic: String
            var valueTemplate: String
            var payloadAvailable = "online"
            var payloadNotAvailable = "offline"
        }

        var device: Identity
        var origin: Origin
        /// That of all entities without one of their own.
        var availability: [Availability]
        var components: [String: Component]
    }

    /// One entity or device trigger; what is nil is left out. With the platform alone, Home Assistant removes it.
    struct Component: Encodable {
        /// What kind of component.
        enum Platform: String, Encodable {
            case event
            case binarySensor = "binary_sensor"
            case sensor
            case `switch`
            case camera
            case deviceAutomation = "device_automation"
        }

        var platform: Platform
        var uniqueId: String?
        var defaultEntityId: String?
        var name: String?
        var icon: String?
        var deviceClass: String?
        var entityCategory: String?
        var enabledByDefault: Bool?
        /// Nil takes the device's; an empty list is always available.
        var availability: [Device.Availability]?
        var stateTopic: String?
        var commandTopic: String?
        var jsonAttributesTopic: String?
        var valueTemplate: String?
        var qos: Int?
        var retain: Bool?
        var eventTypes: [String]?
        var payloadOn: String?
        var payloadOff: String?
        var stateClass: String?
        var unitOfMeasurement: String?
        /// Of a camera and of a trigger.
        var topic: String?
        var automationType: String?
        var type: String?
        var subtype: String?

        init(platform: Platform) {
            self.platform = platform
        }
    }
}
