/// Shows the states of all cameras: as a live table on a terminal, elsewhere a line for each change.
package struct FleetWatch {
    /// How long to wait for statistics, in seconds. By default daemons publish them every 10 s.
    package static let patience = 12.0

    private let isJSON: Bool
    private let formatter = FleetFormatter(hasColors: Console.hasColors)

    package init(isJSON: Bool) { self.isJSON = isJSON }

    package func show(_ access: BrokerAccess) async throws {
        let subscriber = try await access.subscriber("fleet", [.status, .count, .stats] + Topic.events)
        let terminal = Console.isTerminal && !isJSON ? try? Terminal(format: .cells) : nil
        var table = CameraTable()
        try await subscriber.follow(terminal, every: .milliseconds(500), tellsOfCameras: false) { input in
            guard case .occurrence(let occurrence) = input.content else {
                if let terminal { draw(table, input.connection, on: terminal) }
                return true
            }
            // Statistics alone cause no new line, unless the frame rate has changed.
            guard let (base, change) = table.take(occurrence), change != .stats, terminal == nil else { return true }
            if table.cameras[base] != nil { Console.print(styled: line(base, table)) }
            return true
        }
    }

    /// Waits for each camera's statistics, then prints all cameras. Throws `CommandFailure` without a camera or broker.
    package func showOnce(_ access: BrokerAccess) async throws {
        let table = try await Self.table(access, [.status, .count, .stats] + Topic.events, isAlive: true) {
            $0.condition != .streaming || $0.stats != nil
        }
        let lines = isJSON ? table.problemsFirst.map { line($0.base, table) } : formatter.rows(table, at: .wallClock())
        for line in lines { Console.print(styled: line) }
    }

    /// Keeps a file of metrics for Prometheus up to date, and removes it at the end.
    package static func writeFigures(_ access: BrokerAccess, to path: String, every interval: Double) async throws {
        let topics: [Topic] = [.status, .stats, .count, .zones, .today, .detectState]
        let subscriber = try await access.subscriber("fleet", topics)
        defer { unlink(path) }
        var table = CameraTable()
        // The file is first written once the broker has sent its retained messages.
        var next = min(interval, Subscriber.listening)
        try await subscriber.follow(every: .milliseconds(250)) { input in
            if case .occurrence(let occurrence) = input.content {
                _ = table.take(occurrence)
            } else if input.seconds >= next {
                try OutputPath.write(table.metrics, to: path)
                next = input.seconds + interval
            }
            return true
        }
    }

    /// Prints today's totals for each camera and hour as CSV. Throws `CommandFailure` without a camera or a broker.
    package static func writeHours(_ access: BrokerAccess) async throws {
        let table = try await table(access, [.status, .today]) { $0.status?.state != .online || $0.today != nil }
        for line in FleetFormatter.hours(table) { Console.print(line: line) }
    }

    /// Listens until `isComplete` is true for each camera and, if `isAlive` is true, each `online` camera has given a
    /// sign of life. Stops at the time limit at the latest. Returns the states of all cameras.
    private static func table(
        _ access: BrokerAccess,
        _ topics: [Topic],
        isAlive: Bool = false,
        until isComplete: (CameraState) -> Bool
    ) async throws -> CameraTable {
        let subscriber = try await access.subscriber("fleet", topics)
        let limit = { (table: CameraTable) in max(patience, isAlive ? table.uncertainty ?? 0 : 0) }
        let table = try await CameraTable.listen(to: subscriber, atMost: limit) { table in
            table.cameras.allSatisfy { isComplete($1) && (!isAlive || table.isCertain($0)) }
        }
        guard !table.cameras.isEmpty else { throw subscriber.noCamera }
        return table
    }

    /// Removes the retained messages of a camera whose daemon has ended, so that commands no longer list it. Returns
    /// the message to the user. Throws `CommandFailure` if there is no such camera, or its daemon is online.
    package static func forget(_ name: String, _ access: BrokerAccess) async throws -> String {
        var access = access
        access.camera = name
        let subscriber = try await access.subscriber("fleet", [.status], all: false)
        var state = CameraState()
        try await subscriber.ask(every: .milliseconds(100)) { input in
            if case .occurrence(let occurrence) = input.content { state.take(occurrence) }
            guard case .tick = input.content, input.seconds > Subscriber.listening else { return true }
            guard state.status?.state != .online else {
                throw CommandFailure("'\(name)' is online; stop its facetd first, which would publish everything again")
            }
            subscriber.clear()
            return false
        }
        return "forgot \(subscriber.base): its retained messages are removed from the broker"
    }

    private func line(_ base: String, _ table: CameraTable) -> String {
        isJSON ? formatter.json(base, table, at: .wallClock()) : formatter.row(base, table, at: .wallClock())
    }

    private func draw(_ table: CameraTable, _ note: String, on terminal: Terminal) {
        let size = TerminalSize.current
        let summary = "\(formatter.summary(table)) · \(note.printable) · q quits".cut(to: size.columns)
        let rows = formatter.rows(table, columns: size.columns, rows: size.rows - 2, at: .wallClock())
        terminal.show(lines: [summary, ""] + rows)
    }
}
