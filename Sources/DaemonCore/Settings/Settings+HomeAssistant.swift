import Foundation

extension Settings {
    /// Whether and where the device is announced to Home Assistant.
    public struct HomeAssistant: Hashable, Sendable {
        /// Whether the device is announced to Home Assistant; once off, it is removed there.
        public var discovery = false
        /// What Home Assistant's own topics begin with.
        public var prefix = "homeassistant"
        /// The area that a new device is put into; nil for none.
        public var suggestedArea: String?
        /// The web address that Home Assistant's log names beside problems with the device; nil for none.
        public var supportURL: String?
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
        suggestedArea = reader.optionalText("homeassistant.suggestedArea")
        supportURL = reader.value(
            "homeassistant.supportURL",
            default: supportURL,
            expected: "a web address such as https://help.example/cameras"
        ) { text -> String?? in
            let url = URLComponents(string: text)
            let isWeb = ["http", "https"].contains(url?.scheme) && url?.host?.isEmpty == false
            return isWeb ? .some(text) : nil
        }
    }
}
