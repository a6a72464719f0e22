import CEvdev
package import Companion

/// Presses keys on this machine when a camera reports certain events, such as a long blink.
package struct KeyPresser {
    private let bindings: [KeyBinding]
    private let keyboard: VirtualKeyboard

    /// The topics to subscribe to: those of the events that press keys, and the status topic.
    package var topics: [Topic] {
        EventWatch.topics(Set(bindings.map(\.event.topic)).sorted { $0.rawValue < $1.rawValue })
    }

    /// Makes a virtual keyboard with the bound keys. Throws `CommandFailure`, with a remedy, if uinput cannot be used.
    package init(_ bindings: [KeyBinding]) throws {
        self.bindings = bindings
        keyboard = try VirtualKeyboard(keys: bindings.flatMap(\.keys))
    }

    package func run(_ subscriber: Subscriber) async throws {
        var held = HeldKeys(set: keyboard.set)
        Console.note("waiting for \(bindings.map(\.text).joined(separator: ", ")); Ctrl-C ends")
        try await subscriber.follow(every: .milliseconds(25), awaiting: bindings.map(\.event.topic)) { input in
            if case .occurrence(let occurrence) = input.content, case .event(let event) = occurrence.decoded {
                for binding in bindings where binding.event.fits(event.event.kind) {
                    try held.press(binding.keys, at: input.seconds)
                    Console.print(line: "\(binding.text) (face \(event.event.face.faceID.rawValue))")
                }
            }
            try held.release { input.seconds >= $0.until }
            return true
        }
        try held.release { _ in true }
    }
}

/// The keys that are down, and when to release them.
struct HeldKeys {
    /// The time for which a key stays pressed, in seconds.
    private static let duration = 0.05

    /// Presses or releases keys on the keyboard.
    let set: ([KeyName], _ isDown: Bool) throws -> Void
    private(set) var held: [(keys: [KeyName], until: Double)] = []

    mutating func press(_ keys: [KeyName], at time: Double) throws {
        // Of a key that is still down, programs would not see another press.
        try release { !Set($0.keys).isDisjoint(with: keys) }
        try set(keys, true)
        held.append((keys, time + Self.duration))
    }

    mutating func release(where isDue: ((keys: [KeyName], until: Double)) -> Bool) throws {
        for keys in held.filter(isDue).map(\.keys) { try set(keys, false) }
        held.removeAll(where: isDue)
    }
}

/// A virtual keyboard and mouse, whose keys reach programs on a console, in X11 and Wayland. The kernel releases the
/// keys and removes the device when the program ends. Not `Sendable`: one task owns it.
final class VirtualKeyboard {
    private let device: OpaquePointer

    /// Makes a device with these keys. Throws `CommandFailure`, with a remedy, if uinput is missing or not permitted.
    init(keys: some Sequence<KeyName>) throws(CommandFailure) {
        guard let description = libevdev_new() else { throw CommandFailure("there is no memory for a keyboard") }
        defer { libevdev_free(description) }
        libevdev_set_name(description, "facet press")
        var codes = keys.map { (UInt32(EV_KEY), $0.code) }
        // A desktop recognises a mouse by its axes of movement, and ignores the buttons of a device without them.
        if codes.contains(where: { $0.1 == BTN_LEFT || $0.1 == BTN_RIGHT || $0.1 == BTN_MIDDLE }) {
            codes += [(UInt32(EV_REL), UInt32(REL_X)), (UInt32(EV_REL), UInt32(REL_Y))]
        }
        for (type, code) in codes { libevdev_enable_event_code(description, type, code, nil) }
        var device: OpaquePointer?
        let failure = -libevdev_uinput_create_from_device(description, LIBEVDEV_UINPUT_OPEN_MANAGED.rawValue, &device)
        guard failure == 0, let device else { throw Self.failure(failure) }
        self.device = device
    }

    deinit { libevdev_uinput_destroy(device) }

    /// Presses keys in the given order, or releases them in the reverse order.
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
        return CommandFailure("cannot press keys through /dev/uinput: \(String(cString: strerror(code))); \(remedy)")
    }
}
