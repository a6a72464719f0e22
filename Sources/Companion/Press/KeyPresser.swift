package import FaceMessages

/// Presses keys of this machine on events and signs, until the camera's messages end; then releases what is pressed.
package struct KeyPresser {
    /// For how many seconds a key is pressed.
    private static let duration = 0.05

    private let bindings: [KeyBinding]
    private let keyboard: VirtualKeyboard

    /// The topics of the events that press keys.
    package var topics: [Topic] { Set(bindings.map(\.event.topic)).sorted { $0.rawValue < $1.rawValue } }

    /// Makes the keyboard.
    ///
    /// - Throws: `CommandFailure` that says what to do if the kernel or its rights do not allow it.
    package init(_ bindings: [KeyBinding]) throws {
        self.bindings = bindings
        keyboard = try VirtualKeyboard(keys: bindings.flatMap(\.keys))
    }

    package func run(_ subscriber: Subscriber) async throws {
        var pressed: [(keys: [KeyName], until: Double)] = []
        StandardOutput.note("waiting for \(bindings.map(\.text).joined(separator: ", ")); Ctrl-C ends")
        try await subscriber.follow(every: .milliseconds(25)) { input in
            if case .occurrence(let occurrence) = input.content, case .event(let event) = occurrence.decoded {
                for binding in bindings where binding.event.fits(event.event.kind) {
                    try keyboard.set(binding.keys, isDown: true)
                    pressed.append((binding.keys, input.seconds + Self.duration))
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
