import CMosquitto
import Glibc

/// A list of MQTT 5 properties in libmosquitto's memory; whoever makes it frees it or hands it over.
struct MosquittoProperties {
    var list: OpaquePointer?

    /// An empty list.
    init() {}

    /// The properties of a message, its expiry apart.
    init(of message: MQTTMessage) {
        if let contentType = message.contentType {
            mosquitto_property_add_string(&list, CInt(MQTT_PROP_CONTENT_TYPE.rawValue), contentType)
        }
        for property in message.userProperties {
            let identifier = CInt(MQTT_PROP_USER_PROPERTY.rawValue)
            mosquitto_property_add_string_pair(&list, identifier, property.name, property.value)
        }
    }

    /// Adds a duration in whole seconds, rounded up.
    mutating func add(_ identifier: mqtt5_property, seconds duration: Duration) {
        let (seconds, rest) = duration.components
        let value = UInt32(clamping: seconds + (rest > 0 ? 1 : 0))
        mosquitto_property_add_int32(&list, CInt(identifier.rawValue), value)
    }

    mutating func free() {
        mosquitto_property_free_all(&list)
    }

    /// Reads a received message's MIME type and user properties; what is not text is left out.
    static func read(_ list: OpaquePointer?) -> (contentType: String?, userProperties: [MQTTMessage.UserProperty]) {
        var contentType: String?
        var userProperties: [MQTTMessage.UserProperty] = []
        var property = list
        while let current = property {
            switch mosquitto_property_identifier(current) {
            case CInt(MQTT_PROP_CONTENT_TYPE.rawValue):
                var value: UnsafeMutablePointer<CChar>?
                mosquitto_property_read_string(current, CInt(MQTT_PROP_CONTENT_TYPE.rawValue), &value, false)
                contentType = value.flatMap { String(validatingCString: $0) }
                Glibc.free(value)
            case CInt(MQTT_PROP_USER_PROPERTY.rawValue):
                var name: UnsafeMutablePointer<CChar>?
                var value: UnsafeMutablePointer<CChar>?
                let identifier = CInt(MQTT_PROP_USER_PROPERTY.rawValue)
                mosquitto_property_read_string_pair(current, identifier, &name, &value, false)
                if let name = name.flatMap({ String(validatingCString: $0) }),
                    let value = value.flatMap({ String(validatingCString: $0) })
                {
                    userProperties.append(.init(name, value))
                }
                Glibc.free(name)
                Glibc.free(value)
            default: break
            }
            property = mosquitto_property_next(current)
        }
        return (contentType, userProperties)
    }

    /// The highest quality of service a broker says it takes.
    static func maximumQoS(_ list: OpaquePointer?) -> MQTTMessage.QoS {
        var value: UInt8 = 1
        guard mosquitto_property_read_byte(list, CInt(MQTT_PROP_MAXIMUM_QOS.rawValue), &value, false) != nil else {
            return .atLeastOnce
        }
        return value == 0 ? .atMostOnce : .atLeastOnce
    }
}
