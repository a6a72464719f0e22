import FaceMessages

/// Prints events and faces as they come, and hands each event to a shell command or a web address.
package struct EventWatch {
    /// Seconds that requests get at the end.
    private static let patience = 5.0

    private let style: WatchPrinter.Style
    private let command: EventCommand?
    private let post: EventPost?
    private let count: Int?

    /// Makes a watch.
    ///
    /// - Parameters:
    ///   - style: how messages are printed.
    ///   - command: a shell command that is run for each event; nil for none.
    ///   - post: where each event is sent; nil for nowhere.
    ///   - count: after how many messages it ends; nil for never.
    package init(_ style: WatchPrinter.Style, command: String?, post: EventPost?, count: Int?) {
        self.style = style
        self.command = command.map { EventCommand(command: $0) }
        self.post = post
        self.count = count
    }

    package func run(_ subscriber: Subscriber) async throws {
        if StandardOutput.isTerminal, !style.isJSON {
            let patterns = subscriber.patterns.joined(separator: ", ")
            StandardOutput.note("watching \(patterns) at \(subscriber.address), Ctrl-C ends")
        }
        var printer = WatchPrinter(style)
        let commands = command.map { command in
            EventQueue(capacity: 100, "the command is too slow: no command") {
                await command.run($0, payload: $1)
            }
        }
        let requests = post.map { post in
            EventQueue(capacity: 1000, patience: Self.patience, "the server is too slow: no request") { event, _ in
                await post.send(event)
            }
        }
        var queues = [commands, requests].compactMap(\.self)
        var drops = DropNotices()
        try await subscriber.follow(interruptible: false, notes: false) { input in
            if case .occurrence(.message(let message)) = input.content {
                if case .event(let event) = printer.show(message) {
                    for index in queues.indices { queues[index].add(event, payload: message.payload) }
                }
            } else if case .occurrence(.connection(let state)) = input.content {
                printer.take(state)
            }
            if let note = input.note { printer.note(note) }
            let isOver = count.map { printer.shown >= $0 } ?? false
            if let note = drops.note(input.dropped, isOver: isOver || input.isLast) { printer.note(note) }
            return !isOver
        }
        printer.finish()
        for queue in queues { await queue.finish() }
    }
}
