/// Keeps the newest events for programs that read them as server-sent events, and tells each how many it has missed.
final class EventLog: Sendable {
    /// The maximum number of kept events.
    static let capacity = 1000
    /// The maximum number of kept event ids. A client that missed more events is told that it missed fewer.
    private static let knownIDs = 10_000
    /// The maximum number of connections, which leaves room for pages. One more ends the oldest connection of the
    /// network with the most connections. Its client connects again and loses nothing.
    static let mostStreams = 128
    /// The number of bytes after which a single read returns no further events.
    private static let mostBytes = 64 << 10

    struct Filter: Hashable, Sendable {
        /// The wanted kinds of events; empty for all.
        var kinds: Set<Topic> = []
        /// The names or topic bases of the wanted cameras; empty for all.
        var cameras: Set<String> = []

        fileprivate func contains(_ entry: Entry) -> Bool {
            (kinds.isEmpty || kinds.contains(entry.kind))
                && (cameras.isEmpty || !cameras.isDisjoint(with: entry.names))
        }
    }

    /// The position up to which one connection has read the events.
    struct Reader {
        let filter: Filter
        /// The index of the next event to read, counted from the first of all events.
        var position: Int
        /// The number of keep-alive comments (`Contents.beats`) at the last read.
        var beats: Int
        /// Tells the server that there may be something to read.
        var ready: (@Sendable () -> Void)?
    }

    fileprivate struct Entry {
        let kind: Topic
        /// The camera's name and its topic base.
        let names: [String]
        let text: [UInt8]
    }

    private struct Contents {
        var entries: [Entry] = []
        /// The ids of the kept events and of earlier ones, the oldest first.
        var ids: [String] = []
        /// The number of events added so far, including those no longer kept.
        var count = 0
        /// The number of keep-alive comments so far.
        var beats = 0
        var streams: [EventStream] = []
    }

    private let contents = Mutex(Contents())

    func add(_ message: EventMessage, of base: String) {
        let kind = Topic(message.event.kind)
        let head = "id: \(message.id.printable)\nevent: \(kind.rawValue)\ndata: "
        let text = Array(head.utf8) + DaemonMessage.event(message).encoded.payload + Array("\n\n".utf8)
        let entry = Entry(kind: kind, names: [message.origin.camera, base], text: text)
        change { contents in
            if contents.entries.count == Self.capacity { contents.entries.removeFirst() }
            contents.entries.append(entry)
            if contents.ids.count == Self.knownIDs { contents.ids.removeFirst() }
            contents.ids.append(message.id)
            contents.count += 1
        }
    }

    /// Sends a comment on all connections, so that both ends notice a connection that broke silently.
    func beat() { change { $0.beats += 1 } }

    /// Begins a connection that gets the events after the one whose id is `id`, or only future events if `id` is nil.
    func stream(_ filter: Filter, after id: String?, of client: String = "") -> EventStream {
        let (stream, displaced) = contents.withLock { contents in
            let ids = contents.ids
            let position = id.map { id in
                // Clocks differ, so ids are compared only if `id` is unknown: too old, or from another server.
                let next = ids.lastIndex(of: id).map { $0 + 1 } ?? ids.firstIndex { $0 > id } ?? ids.count
                return contents.count - ids.count + next
            }
            // The first comment shows the client at once that it is connected.
            let reader = Reader(filter: filter, position: position ?? contents.count, beats: contents.beats - 1)
            let stream = EventStream(self, reader, of: client)
            contents.streams.append(stream)
            let isFull = contents.streams.count > Self.mostStreams
            let displaced = isFull ? contents.streams.ofBusiest { clientNetwork(of: $0.client) }.first : nil
            contents.streams.removeAll { $0 === displaced }
            return (stream, displaced)
        }
        displaced?.wake()
        return stream
    }

    func remove(_ stream: EventStream) { contents.withLock { $0.streams.removeAll { $0 === stream } } }

    /// Returns the events that a connection has not read, or the end of its stream if a newer connection displaced it.
    func read(_ reader: inout Reader, of stream: EventStream) -> HTTPStreamPart {
        contents.withLock { contents in
            guard contents.streams.contains(where: { $0 === stream }) else { return .end }
            var text: [UInt8] = []
            let dropped = contents.count - contents.entries.count
            if dropped > reader.position {
                text += "event: lost\ndata: {\"events\":\(dropped - reader.position)}\n\n".utf8
                reader.position = dropped
            }
            while reader.position < contents.count, text.count < Self.mostBytes {
                let entry = contents.entries[reader.position - dropped]
                reader.position += 1
                if reader.filter.contains(entry) { text += entry.text }
            }
            if text.isEmpty, reader.beats != contents.beats { text = Array(":\n\n".utf8) }
            reader.beats = contents.beats
            return text.isEmpty ? .none : .bytes(text)
        }
    }

    private func change(_ body: (inout Contents) -> Void) {
        let streams = contents.withLock { contents in
            body(&contents)
            return contents.streams
        }
        for stream in streams { stream.wake() }
    }
}

/// The stream of server-sent events to one client.
final class EventStream: HTTPStream {
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
