import CEvdev
import FaceMessages
import SettingsFiles

/// An event or a sign, and the keys that it presses.
package struct KeyBinding {
    package let text: String
    package let event: EventName
    package let keys: [KeyName]

    /// - Throws: `CommandFailure` that names what is meant, if it is like something.
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
        var keys: [KeyName] = []
        for name in text[text.index(after: equals)...].split(separator: "+", omittingEmptySubsequences: false) {
            guard let key = KeyName(name) else {
                let remedy = "the names are the kernel's, as evtest shows them"
                throw Self.unknown(String(name), "key", among: KeyName.all, remedy)
            }
            keys.append(key)
        }
        self.keys = keys
    }

    private static func unknown(_ name: String, _ what: String, among names: [String], _ other: String)
        -> CommandFailure
    {
        let hint = likelyName(for: name, among: names).map { "did you mean \($0)?" } ?? other
        return CommandFailure("there is no \(what) '\(name)'; \(hint)")
    }
}
