import CEvdev
import FaceMessages

/// A key or button, by the kernel's name for it.
package struct KeyName: Hashable, Sendable {
    package let code: UInt32

    private static let prefixes = ["KEY_", "BTN_", ""]
    /// What X11 calls keys that have another name in the kernel.
    private static let others = ["RETURN": "ENTER", "ESCAPE": "ESC"]

    /// Finds a key; nil if there is none of that name, whose KEY_ or BTN_ and case do not matter.
    init?(_ name: some StringProtocol) {
        let name = name.uppercased()
        let codes = Self.prefixes.lazy.map { prefix in
            libevdev_event_code_from_name(UInt32(EV_KEY), prefix + (Self.others[name] ?? name))
        }
        guard let code = codes.first(where: { $0 >= 0 }) else { return nil }
        self.code = UInt32(code)
    }

    /// All names there are, without KEY_.
    package static var all: [String] {
        (0..<UInt32(KEY_CNT)).compactMap { libevdev_event_code_get_name(UInt32(EV_KEY), $0) }
            .map { String(String(cString: $0).trimmingPrefix("KEY_")) }
    }
}
