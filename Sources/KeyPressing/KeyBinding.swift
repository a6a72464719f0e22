import CEvdev
package import Companion
import SettingsFiles

/// An event or a sign, and the keys that it presses.
package struct KeyBinding {
    let text: String
    let event: EventName
    let keys: [KeyName]

    /// - Throws: `CommandFailure` that suggests a similar name.
    package init(_ text: String) throws(CommandFailure) {
        self.text = text
        guard let equals = text.firstIndex(of: "="), text.index(after: equals) < text.endIndex else {
            throw CommandFailure("'\(text)' is not an event, = and a key, such as long_blink=ENTER")
        }
        let name = String(text[..<equals])
        guard let event = EventName(argument: name) else {
            let names = EventName.allValueStrings
            throw Self.unknown(name, "event or sign", among: names, "there are \(names.joined(separator: ", "))")
        }
        self.event = event
        let names = text[text.index(after: equals)...].split(separator: "+", omittingEmptySubsequences: false)
        keys = try names.map { name throws(CommandFailure) in
            if let key = KeyName(name) { return key }
            let remedy = "the names are the kernel's, as evtest shows them"
            throw Self.unknown(String(name), "key", among: KeyName.all, remedy)
        }
    }

    private static func unknown(_ name: String, _ what: String, among names: [String], _ other: String)
        -> CommandFailure
    {
        let hint = likelyName(for: name, among: names).map { "did you mean \($0)?" } ?? other
        return CommandFailure("there is no \(what) '\(name)'; \(hint)")
    }
}

/// A key or button, by the kernel's name for it.
struct KeyName: Hashable, Sendable {
    let code: UInt32

    private static let prefixes = ["KEY_", "BTN_", ""]
    /// The names of keys in X11 that differ from those in the kernel.
    private static let others = ["RETURN": "ENTER", "ESCAPE": "ESC"]

    /// Finds a key; nil if no key has that name, whose KEY_ or BTN_ and case do not matter.
    init?(_ name: some StringProtocol) {
        let name = name.uppercased()
        let codes = Self.prefixes.lazy.map { prefix in
            libevdev_event_code_from_name(UInt32(EV_KEY), prefix + (Self.others[name] ?? name))
        }
        guard let code = codes.first(where: { $0 >= 0 }) else { return nil }
        self.code = UInt32(code)
    }

    /// All names of keys, without KEY_.
    static var all: [String] {
        (0..<UInt32(KEY_CNT)).compactMap { libevdev_event_code_get_name(UInt32(EV_KEY), $0) }
            .map { String(String(cString: $0).trimmingPrefix("KEY_")) }
    }
}
