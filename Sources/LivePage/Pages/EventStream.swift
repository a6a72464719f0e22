import HTTPServing
import Synchronization

/// One program that reads events.
final class EventStream: HTTPStream {
    private struct Box {
        var reader: EventLog.Reader
        var isOver = false
        var ready: (@Sendable () -> Void)?
    }

    /// The address it comes from.
    let client: String
    private let log: EventLog
    private let box: Mutex<Box>

    init(_ log: EventLog, _ reader: EventLog.Reader, of client: String) {
        self.log = log
        self.client = client
        box = Mutex(Box(reader: reader))
    }

    func begin(ready: @escaping @Sendable () -> Void) { box.withLock { $0.ready = ready } }

    func next() -> HTTPStreamPart {
        box.withLock { box in
            if box.isOver { return .end }
            let text = log.read(&box.reader)
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
