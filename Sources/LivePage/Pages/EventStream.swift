import HTTPServing
import Synchronization

/// One program that reads events.
final class EventStream: HTTPStream {
    private struct Box {
        var position: Int
        var beats: Int
        var isOver = false
        var ready: (@Sendable () -> Void)?
    }

    /// The address it comes from.
    let client: String
    private let log: EventLog
    private let filter: EventLog.Filter
    private let box: Mutex<Box>

    init(_ log: EventLog, _ filter: EventLog.Filter, of client: String, at position: Int, beats: Int) {
        // The first comment shows the client at once that the connection stands.
        (self.log, self.filter, self.client) = (log, filter, client)
        box = Mutex(Box(position: position, beats: beats - 1))
    }

    func begin(ready: @escaping @Sendable () -> Void) { box.withLock { $0.ready = ready } }

    func next() -> HTTPStreamPart {
        box.withLock { box in
            if box.isOver { return .end }
            let text = log.read(filter, from: &box.position, &box.beats)
            return text.isEmpty ? .none : .bytes(text)
        }
    }

    func end() { log.remove(self) }

    func close() {
        box.withLock { $0.isOver = true }
        wake()
    }

    func wake() { box.withLock(\.ready)?() }
}
