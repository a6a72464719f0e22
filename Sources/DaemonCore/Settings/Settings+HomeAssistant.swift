extension Settings {
    /// Whether and where Home Assistant learns of the device.
    public struct HomeAssistant: Hashable, Sendable {
        /// Whether the device is told to Home Assistant; once off, it is removed there.
        public var discovery = false
        /// What Home Assistant's own topics begin with.
        public var prefix = "homeassistant"
    }
}

extension Settings.HomeAssistant {
    mutating func read(_ reader: inout SettingsReader) {
        discovery = reader.flag("homeassistant.discovery", default: discovery)
        prefix = reader.value(
            "homeassistant.prefix",
            default: prefix,
            expected: "a topic without wildcards, leading or trailing slash"
        ) { Settings.MQTT.isTopic($0) ? $0 : nil }
    }
}
