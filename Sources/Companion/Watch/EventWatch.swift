/// Prints events and faces as they come, and passes each event to a shell command or a web address.
package struct EventWatch {
    /// The topics to subscribe to: those to show and the status topic, which tells whether a daemon runs.
    package static func topics(_ shown: [Topic]) -> [Topic] { shown.contains(.status) ? shown : shown + [.status] }

    /// The topics that the command subscribes to.
    package var heard: [Topic] { Self.topics(topics) }
    private let topics: [Topic]
    /// The topics that the user named.
    package let named: [Topic]
    private var printer: WatchPrinter
    /// The shell command to run for each event, and for each message on other topics that the user named; nil for none.
    private let command: String?
    /// Posts each event to a web address; nil if events are not posted.
    package var post: EventPost?
    /// The number of printed messages after which the command ends; nil for no limit.
    package var count: Int?

    /// Makes a watch of the topics with these names, or of the default ones. Throws `CommandFailure` for an unknown
    /// topic, or for a named topic that cannot be combined with `command` or `posts`.
    package init(
        _ access: BrokerAccess,
        _ names: [String],
        isJSON: Bool,
        showsFaces: Bool,
        command: String? = nil,
        posts: Bool = false
    ) throws(CommandFailure) {
        topics = try access.topics(named: names)
        named = names.isEmpty ? [] : topics
        self.command = command
        let showsMetadata = showsFaces || named.contains(.metadata)
        let isPlural = BrokerAccess.isPlural(access.topic)
        printer = WatchPrinter(isJSON: isJSON, showsMetadata: showsMetadata, alwaysNamesCamera: isPlural)
        let runs: [Topic] = [.count, .today, .status, .detectState]
        for topic in named where !topic.isEvent {
            if posts { throw CommandFailure("--post sends events, and \(topic.rawValue) is none") }
            guard command != nil, !runs.contains(topic) else { continue }
            let known = runs.map(\.rawValue).joined(separator: ", ")
            let instead = topic == .zones ? ": zone_enter and zone_leave are" : ""
            throw CommandFailure("--exec runs for events, \(known); \(topic.rawValue) is none of them\(instead)")
        }
    }

    /// Watches until the source ends or `count` messages were printed. Throws `CommandFailure` if the broker refuses
    /// the connection, or if some events did not reach the shell command or the web address. After a signal, an error
    /// or the loss of the output's reader, queued events still have `EventQueue.patience`, and the request under way
    /// its own time; then the program ends.
    package func run(_ subscriber: Subscriber) async throws {
        if Console.isTerminal, !printer.isJSON {
            let patterns = subscriber.patterns.joined(separator: ", ")
            Console.note("watching \(patterns) at \(subscriber.address), Ctrl-C ends")
        }
        let commands = command.map(EventCommand.init).map { command in
            EventQueue(capacity: 100, "the command is too slow: no command") { message, payload in
                let (problems, end) = AsyncStream<String?>.makeStream()
                Task {
                    end.yield(await command.run(message, payload: payload))
                    end.finish()
                }
                // A command that failed, or runs on when the time is up, has run all the same: its event is not lost.
                if case .some(let problem?) = await problems.first(where: { _ in true }) { Console.note(problem) }
                return nil
            }
        }
        let posts = post.map { post in
            EventQueue(capacity: 1000, "the server is too slow: no request") { message, _ in
                if case .event(let event) = message { await post.send(event) } else { nil }
            }
        }
        var queues = [commands, posts].compactMap(\.self)
        let interruption = queues.isEmpty ? nil : Interruption()
        if let interruption { Console.readerLost.withLock { $0 = { interruption.raise(SIGPIPE) } } }
        defer { interruption?.cancel() }
        var failure: (any Error)?
        do { try await follow(subscriber, into: &queues, until: interruption) } catch { failure = error }
        let giveUp: @Sendable () -> Void = { [queues] in queues.forEach { $0.giveUp() } }
        if failure != nil { giveUp() } else { interruption?.onSignal(giveUp) }
        posts?.giveUp()
        var lost = 0
        for queue in queues { lost += await queue.finish() }
        let loss = lost > 0 ? CommandFailure("\(lost.counted("event")) did not get through") : nil
        if let loss, failure != nil { Console.note("\(loss)") }
        if let failure = failure ?? loss { throw failure }
        if let interruption, interruption.isRaised { endProcess(by: interruption.number) }
    }

    /// Prints what comes, and puts it into `queues`.
    private func follow(
        _ subscriber: Subscriber,
        into queues: inout [EventQueue],
        until interruption: Interruption?
    ) async throws {
        var printer = printer
        defer { printer.removeFaces() }
        var drops = DropNotices()
        try await subscriber.follow(interruptible: false, until: interruption, notes: false, awaiting: named) { input in
            if case .occurrence(.message(let message)) = input.content {
                if topics.contains(message.topic), let shown = printer.show(message),
                    message.topic.isEvent || named.contains(message.topic)
                {
                    for index in queues.indices { queues[index].add(shown, payload: message.published) }
                }
            } else if case .occurrence(.connection(let state)) = input.content {
                printer.take(state)
            }
            if let note = input.note { printer.note(note) }
            let isOver = count.map { printer.shown >= $0 } ?? false
            if let note = drops.note(input.dropped, isOver: isOver || input.isLast) { printer.note(note) }
            return !isOver
        }
    }
}

/// A queue whose worker performs one task per message, while the next messages come in.
struct EventQueue {
    /// The minimum interval between two reports of dropped messages.
    private static let pause = Duration.seconds(10)
    /// How long queued messages may take after the watch has ended, or for commands, after a signal.
    private static let patience = Duration.seconds(5)

    private typealias Entry = (message: DaemonMessage, payload: [UInt8])

    private let events: Inbox<LimitedQueue<Entry>>
    /// The task that works through the queue; returns how many messages it handled, and how many of those failed.
    private let worker: Task<(done: Int, failed: Int), Never>
    private let failure: String
    private var count = 0
    private var dropped = 0
    /// The value of `dropped` at the last report, which was written at the time `noted`.
    private var reported = 0
    private var noted: ContinuousClock.Instant?

    /// Makes a queue. Beyond `capacity` messages or `LimitedQueue.mostBytes` of payloads, the oldest are dropped and
    /// the user is told. The report begins with `failure`, such as "the command is too slow: no command", and goes on
    /// "for 3 events". `perform` handles a message and returns the error.
    init(
        capacity: Int,
        _ failure: String,
        _ perform: @escaping @Sendable (DaemonMessage, _ payload: [UInt8]) async -> String?
    ) {
        let limits: SIMD3 = [capacity, 0, LimitedQueue<Entry>.mostBytes]
        let events = Inbox(LimitedQueue<Entry>(atMost: limits) { [1, 0, $0.payload.count] })
        self.events = events
        self.failure = failure
        worker = Task {
            var done = 0
            var failed = 0
            while !Task.isCancelled, let (message, payload) = await events.next({ $0.removeFirst() }) {
                if let problem = await perform(message, payload) {
                    Console.note(problem)
                    failed += 1
                }
                done += 1
            }
            return (done, failed)
        }
    }

    mutating func add(_ message: DaemonMessage, payload: [UInt8]) {
        count += 1
        let lost = events.put { $0.put((message, payload)) } ?? []
        dropped += lost.count
        guard let newest = lost.last?.message, noted.map({ $0.duration(to: .now) > Self.pause }) ?? true else { return }
        let time = newest.stamp.map { " of \($0.time.iso8601)" } ?? ""
        let last = newest.topic.rawValue + time
        Console.note("\(failure) for \((dropped - reported).counted("event")), now the \(last)")
        reported = dropped
        noted = .now
    }

    /// Lets queued messages have `patience` from now on.
    func giveUp() {
        Task { [worker] in
            try? await Task.sleep(for: Self.patience)
            worker.cancel()
        }
    }

    /// Waits until all messages are handled or the time is up. Returns how many were dropped, unhandled or failed.
    @discardableResult
    func finish() async -> Int {
        events.finish()
        let (done, failed) = await worker.value
        let left = count - dropped - done
        if dropped > reported { Console.note("\(failure) for \((dropped - reported).counted("more event"))") }
        if left > 0 { Console.note("\(failure) for \(left) more events: the time was up") }
        return count - done + failed
    }
}

/// Reports to the user when messages begin to be dropped and, once that is over, how many were dropped.
struct DropNotices {
    private var reported = 0
    private var isDropping = false

    /// Takes the number of messages dropped so far. Returns a notice when drops begin and, once `isOver` says that no
    /// more messages wait, one with the number of drops; otherwise nil.
    mutating func note(_ dropped: Int, isOver: Bool) -> String? {
        let wasDropping = isDropping
        guard dropped > reported, !wasDropping || isOver else { return nil }
        isDropping = !isOver
        guard isOver else { return "messages come faster than they are taken: the oldest are dropped" }
        defer { reported = dropped }
        return "\(dropped - reported) messages \(wasDropping ? "" : "came too fast and ")were dropped"
    }
}
