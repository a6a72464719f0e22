import CEvdev
package import Companion

/// A key binding such as `long_blink=ENTER`: an event, and the keys to press when it occurs.
package struct KeyBinding {
    let text: String
    let event: EventName
    let keys: [KeyName]

    /// Parses a binding. Throws `CommandFailure`, which suggests a similar name for an unknown event or key.
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

/// The kernel's code for a key or mouse button.
struct KeyName: Hashable, Sendable {
    let code: UInt32

    /// The kernel's names of keys that have another name in X11, by their X11 name.
    private static let others = ["RETURN": "ENTER", "ESCAPE": "ESC"]

    /// Finds a key by its name, in upper or lower case, with or without `KEY_` or `BTN_`; nil if there is no such key.
    init?(_ name: some StringProtocol) {
        let name = name.uppercased()
        let codes = ["KEY_", "BTN_", ""].lazy.map { prefix in
            libevdev_event_code_from_name(UInt32(EV_KEY), prefix + (Self.others[name] ?? name))
        }
        guard let code = codes.first(where: { $0 >= 0 }) else { return nil }
        self.code = UInt32(code)
    }

    /// The names of all keys and buttons; those of keys are without `KEY_`.
    static var all: [String] {
        (0..<UInt32(KEY_CNT)).compactMap { libevdev_event_code_get_name(UInt32(EV_KEY), $0) }
            .map { String(String(cString: $0).trimmingPrefix("KEY_")) }
    }
}
