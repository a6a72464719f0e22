import ArgumentParser
import CEvdev
import FaceMessages
import Glibc
import SettingsFiles

struct Press: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Presses keys and mouse buttons of this machine on events and signs.",
        discussion: """
            The keys come from a keyboard of its own, which the kernel's uinput makes: they work on a console, on X11 and on \
            Wayland. Keys have the kernel's names, without KEY_ if you like: A, SPACE, ENTER, LEFT, BTN_LEFT (a mouse's), \
            LEFTCTRL+C. Signs are \(Self.signNames); the left eye is the person's own. A daemon publishes them with sign in \
            publish; --source opens the camera here instead, without a daemon.

            Every person in the picture can press keys. Ends with Ctrl-C, and then releases what is pressed.

            Examples:
              facet press long_blink=ENTER wink_right=BTN_LEFT
              facet press nod=Y shake=N --source auto
              facet press smile=SPACE --camera porch
            """
    )

    private static let signNames = FaceEvent.Sign.allCases.map(\.rawValue).joined(separator: ", ")

    /// For how many seconds a key is pressed.
    private static let press = 0.05

    @Argument(
        help: .init("Events or signs, each with the key that it presses.", valueName: "event=key"),
        transform: KeyBinding.init
    )
    var bindings: [KeyBinding]

    @OptionGroup var live: SourceOptions

    func run() async throws {
        let keyboard = try VirtualKeyboard(keys: bindings.flatMap(\.keys))
        let topics = Set(bindings.map(\.event.topic)).sorted { $0.rawValue < $1.rawValue }
        let subscriber = try await live.subscriber(command: "press", topics: topics)
        var pressed: [(keys: [KeyName], until: Double)] = []
        StandardOutput.note("waiting for \(bindings.map(\.text).joined(separator: ", ")); Ctrl-C ends")
        try await subscriber.follow(every: .milliseconds(25)) { input in
            if case .occurrence(let occurrence) = input.content, case .event(let event) = occurrence.decoded {
                for binding in bindings where binding.event.fits(event.event.kind) {
                    try keyboard.set(binding.keys, isDown: true)
                    pressed.append((binding.keys, input.seconds + Self.press))
                    StandardOutput.print(line: "\(binding.text) (face \(event.event.face.faceID.rawValue))")
                }
            }
            while let first = pressed.first, input.seconds >= first.until {
                try keyboard.set(first.keys, isDown: false)
                pressed.removeFirst()
            }
            return true
        }
        for (keys, _) in pressed { try keyboard.set(keys, isDown: false) }
    }
}

/// An event or a sign, and the keys that it presses.
struct KeyBinding {
    let text: String
    let event: EventName
    let keys: [KeyName]

    /// - Throws: `CommandFailure` that names what is meant, if it is like something.
    init(_ text: String) throws(CommandFailure) {
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

/// A keyboard and mouse of the kernel's that exists as long as this object does, for programs on a console, X11 and Wayland.
///
/// Not Sendable: the one task of the command owns it. However the program ends, the kernel releases the keys and removes it.
final class VirtualKeyboard {
    private static let node = "/dev/uinput"

    private let device: OpaquePointer

    /// Makes a device with these keys.
    ///
    /// - Throws: `CommandFailure` that says what to do if the kernel or its rights do not allow it.
    init(keys: some Sequence<KeyName>) throws(CommandFailure) {
        guard let description = libevdev_new() else { throw CommandFailure("there is no memory for a keyboard") }
        defer { libevdev_free(description) }
        libevdev_set_name(description, "facet press")
        var codes = keys.map { (UInt32(EV_KEY), $0.code) }
        // Without movement a desktop takes no device for a mouse, and ignores its buttons.
        if codes.contains(where: { $0.1 == BTN_LEFT || $0.1 == BTN_RIGHT || $0.1 == BTN_MIDDLE }) {
            codes += [(UInt32(EV_REL), UInt32(REL_X)), (UInt32(EV_REL), UInt32(REL_Y))]
        }
        for (type, code) in codes { libevdev_enable_event_code(description, type, code, nil) }
        var device: OpaquePointer?
        let failure = -libevdev_uinput_create_from_device(
            description,
            LIBEVDEV_UINPUT_OPEN_MANAGED.rawValue,
            &device
        )
        guard failure == 0, let device else { throw Self.failure(failure) }
        self.device = device
    }

    deinit { libevdev_uinput_destroy(device) }

    /// Presses keys in their order, or releases them in the opposite one.
    func set(_ keys: [KeyName], isDown: Bool) throws(CommandFailure) {
        let events = (isDown ? keys : keys.reversed()).map { (UInt32(EV_KEY), $0.code, isDown ? Int32(1) : 0) }
        for (type, code, value) in events + [(UInt32(EV_SYN), UInt32(SYN_REPORT), 0)] {
            let failure = -libevdev_uinput_write_event(device, type, code, value)
            guard failure == 0 else { throw Self.failure(failure) }
        }
    }

    private static func failure(_ code: Int32) -> CommandFailure {
        let remedy =
            switch code {
            case ENOENT, ENODEV, ENXIO: "load the kernel's module for it: sudo modprobe uinput"
            case EACCES, EPERM:
                "install the udev rule 70-facet-uinput.rules, as docs/hands-free.md describes it, or run the command as root"
            default: "check the kernel's log with dmesg"
            }
        return CommandFailure("cannot press keys through \(node): \(String(cString: strerror(code))); \(remedy)")
    }
}

/// A key or button, by the kernel's name for it.
struct KeyName: Hashable, Sendable {
    let code: UInt32

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
    static var all: [String] {
        (0..<UInt32(KEY_CNT)).compactMap { libevdev_event_code_get_name(UInt32(EV_KEY), $0) }
            .map { String(String(cString: $0).trimmingPrefix("KEY_")) }
    }
}
