extension Subscriber {
    /// Hands on what comes, and ticks, until `receive` returns false, Ctrl-C or q on the terminal ends it, or the
    /// source or the terminal ends; then ends the connection.
    /// - Parameters:
    ///   - terminal: whose keys come too.
    ///   - interval: how often a tick comes; nil for hardly ever.
    ///   - interruptible: whether Ctrl-C ends it in good order, instead of ending the program.
    ///   - waitsForBroker: whether a broker that cannot be reached at first is waited for.
    ///   - notes: whether loss and return of broker and cameras go to standard error; nil for yes without a terminal.
    ///   - tellsOfCameras: whether cameras are meant too, for a command that does not show itself how they are.
    ///   - awaited: the topics that the command waits for; it is told if no daemon publishes them.
    ///   - receive: gets each input; returns whether it goes on.
    /// - Throws: `CommandFailure` if no retry helps, or no daemon publishes what is awaited; what `receive` throws.
    package func follow(
        _ terminal: Terminal? = nil,
        every interval: Duration? = nil,
        interruptible: Bool = true,
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
        // Reading blocks: the thread ends with the program or the terminal. Without it a signal still ends the command.
        _ = try? terminal.map { terminal in
            try JoinableThread(named: "keys") {
                while let byte = terminal.nextByte() { inputs.put(.key(byte)) }
                inputs.finish()
            }
        }
        let interruption = interruptible ? Interruption { inputs.put(.interrupted) } : nil
        defer {
            forwarding.cancel()
            ticking.cancel()
            interruption?.cancel()
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

    /// Follows for a single answer: an unreachable broker is an error, and conditions of cameras are not reported.
    func ask(every interval: Duration, _ receive: (LiveInput) throws -> Bool) async throws {
        try await follow(every: interval, interruptible: false, waitsForBroker: false, tellsOfCameras: false, receive)
    }
}
