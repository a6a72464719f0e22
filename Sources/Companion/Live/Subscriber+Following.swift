import Synchronization
import System
package import TerminalPictures

extension Subscriber {
    /// Hands on what comes, and ticks, until `take` says that it is over, or Ctrl-C or q on the terminal ends it, or the
    /// source or the terminal ends; then ends the connection.
    ///
    /// - Parameters:
    ///   - terminal: whose keys come too.
    ///   - interval: how often a tick comes; nil for never.
    ///   - interruptible: whether Ctrl-C ends it in good order, instead of ending the program.
    ///   - waitsForBroker: whether a broker that cannot be reached at first is waited for.
    ///   - notes: whether changes of the connection are reported on standard error; without a value, unless there is a
    ///     terminal.
    ///   - take: takes an input; returns whether it goes on.
    /// - Throws: `CommandFailure` if no retry helps; what `take` throws.
    package func follow(
        _ terminal: Terminal? = nil,
        every interval: Duration? = nil,
        interruptible: Bool = true,
        waitsForBroker: Bool = true,
        notes: Bool? = nil,
        _ take: (LiveInput) throws -> Bool
    ) async throws {
        let inputs = LiveInputs(capacity: capacity)
        let forwarding = Task {
            await forward { inputs.put(.occurrence($0)) }
            inputs.finish()
        }
        let ticking = Task {
            guard let interval else { return }
            while (try? await Task.sleep(for: interval)) != nil { inputs.put(.tick) }
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
        var notices = Notices(address: address, waitsForBroker: waitsForBroker)
        inputs: while var input = await inputs.next() {
            switch input.content {
            case .occurrence(let occurrence):
                input.note = try notices.note(occurrence)
                if let note = input.note, notes ?? (terminal == nil) { StandardOutput.note(note) }
            case .interrupted, .key(UInt8(ascii: "q")): break inputs
            case .key, .tick: break
            }
            input.connection = notices.connection
            input.dropped += dropped
            guard try take(input) else { break }
        }
        terminal?.release()
        await stop()
    }
}
