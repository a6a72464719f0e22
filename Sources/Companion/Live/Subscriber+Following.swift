extension Subscriber {
    /// Passes messages, keys and ticks to `receive` until it returns false, the user presses Ctrl-C or q, or the source
    /// or the terminal ends. Then releases the terminal and stops the subscriber.
    /// - Parameters:
    ///   - terminal: The terminal whose keys are inputs too.
    ///   - interval: The interval of ticks; nil for one second.
    ///   - interruptible: Whether Ctrl-C makes this function return, instead of ending the program.
    ///   - outer: The command's own `Interruption`, used in place of a new one. It catches signals after this function.
    ///   - waitsForBroker: Whether to keep trying if the broker cannot be reached at first.
    ///   - notes: Whether to write messages to the user to standard error; nil means only if there is no `terminal`.
    ///   - tellsOfCameras: Whether these messages report conditions of cameras, for commands that do not show them.
    ///   - awaited: The topics that the command needs. The user is told if no daemon publishes them.
    ///   - receive: Takes an input, and returns whether to go on.
    /// - Throws: `CommandFailure` if trying again cannot help or no daemon publishes `awaited`; any error of `receive`.
    package func follow(
        _ terminal: Terminal? = nil,
        every interval: Duration? = nil,
        interruptible: Bool = true,
        until outer: Interruption? = nil,
        waitsForBroker: Bool = true,
        notes: Bool? = nil,
        tellsOfCameras: Bool = true,
        awaiting awaited: [Topic] = [],
        _ receive: (LiveInput) throws -> Bool
    ) async throws {
        let inputs = Inbox(LiveBacklog(capacity: Self.capacity))
        let forwarding = Task {
            await forward { inputs.put(.occurrence($0)) }
            inputs.finish()
        }
        let ticking = Task {
            while (try? await Task.sleep(for: interval ?? .seconds(1))) != nil { inputs.put(.tick) }
        }
        // Reading blocks: the thread ends with the program or the terminal. If it cannot start, signals still work.
        _ = try? terminal.map { terminal in
            try JoinableThread(named: "keys") {
                while let byte = terminal.nextByte() { inputs.put(.key(byte)) }
                inputs.finish()
            }
        }
        let own = interruptible && outer == nil ? Interruption() : nil
        (outer ?? own)?.onSignal { inputs.put(.interrupted) }
        defer {
            terminal?.release()
            forwarding.cancel()
            ticking.cancel()
            own?.cancel()
            inputs.finish()
        }
        let silence = isLocal ? nil : noCamera.description
        var notices = Notices(address: address, waitsForBroker: waitsForBroker, silence: silence)
        notices.tellsOfCameras = tellsOfCameras
        notices.isLocal = isLocal
        notices.awaited = awaited
        notices.isPlural = BrokerAccess.isPlural(patterns)
        inputs: while var input = await inputs.next() {
            switch input.content {
            case .occurrence(let occurrence): input.note = try notices.note(occurrence, at: input.seconds)
            case .tick: input.note = try notices.silence(at: input.seconds)
            case .interrupted, .key(UInt8(ascii: "q")): break inputs
            case .key: break
            }
            if let note = input.note, notes ?? (terminal == nil) { Console.note(note) }
            input.connection = notices.connection
            input.dropped += dropped
            guard try receive(input) else { break }
        }
        terminal?.release()
        await stop()
    }

    /// Calls `follow` for one quick answer: an unreachable broker is an error, and no camera's condition is reported.
    func ask(every interval: Duration, _ receive: (LiveInput) throws -> Bool) async throws {
        try await follow(every: interval, interruptible: false, waitsForBroker: false, tellsOfCameras: false, receive)
    }
}
