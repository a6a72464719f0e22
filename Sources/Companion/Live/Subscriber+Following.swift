import FaceMessages
import MQTT
import System
package import TerminalPictures

extension Subscriber {
    /// Hands on what comes, and ticks, until `receive` returns false, Ctrl-C or q on the terminal ends it, or the source or the
    /// terminal ends; then ends the connection.
    ///
    /// - Parameters:
    ///   - terminal: whose keys come too.
    ///   - interval: how often a tick comes; nil for hardly ever.
    ///   - interruptible: whether Ctrl-C ends it in good order, instead of ending the program.
    ///   - waitsForBroker: whether a broker that cannot be reached at first is waited for.
    ///   - notes: whether changes of the connection are reported on standard error; nil for yes without a terminal.
    ///   - receive: gets each input; returns whether it goes on.
    /// - Throws: `CommandFailure` if no retry helps; what `receive` throws.
    package func follow(
        _ terminal: Terminal? = nil,
        every interval: Duration? = nil,
        interruptible: Bool = true,
        waitsForBroker: Bool = true,
        notes: Bool? = nil,
        _ receive: (LiveInput) throws -> Bool
    ) async throws {
        let inputs = LiveInputs(capacity: Self.capacity)
        let forwarding = Task {
            await forward { inputs.put(.occurrence($0)) }
            inputs.finish()
        }
        let ticking = Task {
            while (try? await Task.sleep(for: interval ?? .seconds(1))) != nil { inputs.put(.tick) }
        }
        // Reading blocks; the thread ends with the program or the terminal. Without it, a signal still ends the command.
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
        inputs: while var input = await inputs.next() {
            switch input.content {
            case .occurrence(let occurrence): input.note = try notices.note(occurrence, at: input.seconds)
            case .tick: input.note = notices.silence(at: input.seconds)
            case .interrupted, .key(UInt8(ascii: "q")): break inputs
            case .key: break
            }
            if let note = input.note, notes ?? (terminal == nil) { StandardOutput.note(note) }
            input.connection = notices.connection
            input.dropped += dropped
            guard try receive(input) else { break }
        }
        terminal?.release()
        await stop()
    }
}

/// What the person at the terminal learns about the source of messages: each trouble once.
struct Notices {
    /// Topics whose messages were reported as unreadable; all others are passed over from then on.
    private static let capacity = 64
    /// What helps where there is no broker.
    static let brokerRemedy = "start it (sudo systemctl start mosquitto), or name it with --mqtt"

    /// The broker's host and port.
    let address: String
    /// Whether a broker that cannot be reached is waited for, though its address may be wrong. One that was reached once always
    /// is.
    private(set) var waitsForBroker: Bool
    private(set) var hasTrouble = false
    private(set) var unreadable: Set<String> = []
    /// The bases of the topics of cameras whose loss was reported.
    private(set) var lost: Set<String> = []

    /// Seconds from the connection until silence is reported; what a broker has retained comes at once.
    static let patience = 3.5
    /// What to say if no daemon is heard of; nil for nothing.
    private(set) var silence: String?
    private(set) var connected: Double?
    /// How the connection is, for a screen that always shows it.
    private(set) lazy var connection = "connecting to \(address)"

    /// What to say about an occurrence; nil if nothing. Throws `CommandFailure` if no retry helps, as with a wrong
    /// password.
    mutating func note(_ occurrence: Subscriber.Occurrence, at seconds: Double) throws -> String? {
        switch occurrence {
        case .connection(.connecting), .connection(.stopped): return nil
        case .connection(.connected):
            defer { hasTrouble = false }
            connection = address
            connected = seconds
            waitsForBroker = true
            return hasTrouble ? "connected to \(address) again" : nil
        case .connection(.disconnected(let reason)):
            guard waitsForBroker else {
                throw CommandFailure("cannot reach the broker: \(reason)", remedy: Self.brokerRemedy)
            }
            hasTrouble = true
            connected = nil
            connection = "no connection, trying again: \(reason)"
            return connection
        case .connection(.refused(let reason)), .connection(.takenOver(let reason)):
            throw CommandFailure("cannot use the broker: \(reason)")
        case .failed(let failure): throw failure
        case .message(let message):
            if case .decoded(.status(let status, _)) = message.content {
                guard status.state == .online else { return nil }
                silence = nil
                return note(status, of: message.base)
            }
            silence = nil
            let name = message.topic.name(under: message.base)
            guard case .malformed(let error) = message.content, unreadable.count < Self.capacity,
                unreadable.insert(name).inserted
            else { return nil }
            connection = "\(name): \(error) (said once for each topic)"
            return connection
        }
    }

    /// What to say about the camera of a daemon, whatever topics are shown: its loss and its return, each once.
    private mutating func note(_ status: DaemonStatus, of base: String) -> String? {
        switch status.cameraState {
        case .lost:
            guard lost.insert(base).inserted else { return nil }
            return "\(base): the camera is lost: \(status.detail ?? "no reason is given")"
        case .streaming: return lost.remove(base).map { "\($0): the camera is back" }
        default: return nil
        }
    }

    /// What to say, once, if no daemon was heard of; nil if nothing.
    mutating func silence(at seconds: Double) -> String? {
        guard let connected, seconds - connected >= Self.patience else { return nil }
        defer { silence = nil }
        return silence
    }
}
