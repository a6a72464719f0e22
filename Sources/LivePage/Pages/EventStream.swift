import HTTPServing
import Synchronization

/// One program that reads events.
final class EventStream: HTTPStream {
    /// The address it comes from.
    let client: String
    private let log: EventLog
    private let reader: Mutex<EventLog.Reader>

    init(_ log: EventLog, _ reader: EventLog.Reader, of client: String) {
        self.log = log
        self.client = client
        self.reader = Mutex(reader)
    }

    func begin(ready: @escaping @Sendable () -> Void) { reader.withLock { $0.ready = ready } }
    func next() -> HTTPStreamPart { reader.withLock { log.read(&$0, of: self) } }
    func end() { log.remove(self) }
    func wake() { reader.withLock(\.ready)?() }
}
