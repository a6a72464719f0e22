import FaceMessages
import Foundation

/// What Home Assistant's MQTT device discovery is told: one device with an entity for each thing that can be automated.
///
/// Field names are those of Home Assistant's MQTT integration, unabbreviated. Its device discovery came with 2024.11.
struct HomeAssistantDiscovery: Hashable, Sendable {
    /// What Home Assistant's own topics begin with.
    let prefix: String
    /// What the camera's topics begin with.
    let base: String
    /// The camera's name.
    let camera: String
    /// The daemon's version.
    let version: String
    /// Which messages are published; the entities of others are removed.
    let published: Set<Settings.Publication>

    /// The device's id at Home Assistant, the same after each start: from the base, which no two daemons share.
    ///
    /// A discovery topic takes letters, digits, `_` and `-` only.
    var deviceID: String { "facet-" + Settings.MQTT.identifier(ofTopic: base) }

    /// Where the device is told.
    var topic: String { "\(prefix)/device/\(deviceID)/config" }

    /// Where Home Assistant says `online` when it has started.
    var birthTopic: String { "\(prefix)/status" }

    /// The device as Home Assistant reads it, the same bytes each time.
    ///
    /// - Throws: `EncodingError`, which the types of its parts rule out.
    func payload() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(device))
    }
}

// MARK: - The device

extension HomeAssistantDiscovery {
    private var device: Device {
        Device(
            device: Device.Identity(
                identifiers: [deviceID],
                name: camera,
                manufacturer: "Facet",
                model: "facetd",
                swVersion: version
            ),
            origin: Device.Origin(name: "facetd", swVersion: version),
            availability: [
                Device.Availability(
                    topic: Topic.status.name(under: base),
                    // A daemon that has stopped is as little there as one that has vanished.
                    valueTemplate: "{{ 'online' if value_json.state == 'online' else 'offline' }}"
                )
            ],
            components: components
        )
    }

    private var components: [String: Component] {
        [
            "enter": event(.enter, .enter, "Face enters", icon: "account-arrow-right"),
            "leave": event(.leave, .leave, "Face leaves", icon: "account-arrow-left"),
            "smile": event(.smile, .smile, "Smile", icon: "emoticon-happy-outline"),
            "blink": event(.blink, .blink, "Blink", icon: "eye-outline"),
            "eyes_closed": event(.eyesClosed, .eyesClosed, "Eyes closed", icon: "eye-off-outline"),
            "occupancy": published.contains(.count) ? occupancy : Component(platform: .binarySensor),
            "count": published.contains(.count) ? count : Component(platform: .sensor),
            "detect": detect,
            "camera": cameraProblem,
        ]
    }

    /// An event entity: its payload already is what Home Assistant wants, JSON with an `event_type`.
    private func event(
        _ topic: Topic,
        _ publication: Settings.Publication,
        _ name: String,
        icon: String
    ) -> Component {
        guard published.contains(publication) else { return Component(platform: .event) }
        var component = entity(.event, topic.rawValue, name, on: topic, icon: icon)
        component.eventTypes = [topic.rawValue]
        // Not the device's: an event entity that becomes available again takes up the state of its last event, and an
        // automation that waits for a change would react to yesterday's smile whenever the daemon starts.
        component.availability = []
        return component
    }

    private var occupancy: Component {
        var component = entity(.binarySensor, "occupancy", "Occupancy", on: .count)
        component.deviceClass = "occupancy"
        component.valueTemplate = "{{ 'ON' if value | int(0) > 0 else 'OFF' }}"
        return component
    }

    private var count: Component {
        var component = entity(.sensor, "count", "Faces", on: .count, icon: "account-multiple")
        component.stateClass = "measurement"
        component.unitOfMeasurement = "faces"
        return component
    }

    private var detect: Component {
        var component = entity(.switch, "detect", "Detection", on: .detectState, icon: "face-recognition")
        component.commandTopic = Topic.detectSet.name(under: base)
        component.payloadOn = "ON"
        component.payloadOff = "OFF"
        component.retain = false
        return component
    }

    /// Whether the camera is lost, with the reason among the attributes.
    private var cameraProblem: Component {
        var component = entity(.binarySensor, "camera", "Camera", on: .status)
        component.deviceClass = "problem"
        component.entityCategory = "diagnostic"
        component.valueTemplate = "{{ 'ON' if value_json.cameraState == 'lost' else 'OFF' }}"
        component.jsonAttributesTopic = Topic.status.name(under: base)
        return component
    }

    private func entity(
        _ platform: Component.Platform,
        _ key: String,
        _ name: String,
        on topic: Topic,
        icon: String? = nil
    ) -> Component {
        var component = Component(platform: platform)
        component.uniqueId = "\(deviceID)-\(key)"
        component.name = name
        component.icon = icon.map { "mdi:" + $0 }
        component.stateTopic = topic.name(under: base)
        component.qos = 1
        return component
    }
}
