// The shape of the message, in the field names of Home Assistant's MQTT integration but for their underscores.

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
        }

        /// Which program tells of it.
        struct Origin: Encodable {
            var name: String
            var swVersion: String
        }

        /// Where all entities learn whether they are available.
        struct Availability: Encodable {
            var topic: String
            var valueTemplate: String
            var payloadAvailable = "online"
            var payloadNotAvailable = "offline"
        }

        var device: Identity
        var origin: Origin
        var availability: [Availability]
        var components: [String: Component]
    }

    /// One entity; what is nil is left out. With the platform alone, Home Assistant removes it.
    struct Component: Encodable {
        /// What kind of entity.
        enum Platform: String, Encodable {
            case event
            case binarySensor = "binary_sensor"
            case sensor
            case `switch`
        }

        var platform: Platform
        var uniqueId: String?
        var name: String?
        var icon: String?
        var deviceClass: String?
        var entityCategory: String?
        var stateTopic: String?
        var commandTopic: String?
        var jsonAttributesTopic: String?
        var valueTemplate: String?
        /// Nil takes the device's; an empty list is always available.
        var availability: [Device.Availability]?
        var eventTypes: [String]?
        var payloadOn: String?
        var payloadOff: String?
        var stateClass: String?
        var unitOfMeasurement: String?
        var qos: Int?
        var retain: Bool?

        init(platform: Platform) {
            self.platform = platform
        }
    }
}
