package import FaceMessages

/// Makes the messages that a daemon would publish, for a session that runs in this program.
package struct UpdateMessages: Sendable {
    /// The topics for which no messages are made: commands, zones and pictures. The program has the pictures already.
    package static let missingTopics: [Topic] = [.previewJPEG, .zones, .zoneEnter, .zoneLeave] + Topic.commands

    /// The seconds between two `stats` messages, as in a daemon's default settings.
    package static let statsInterval = 10.0

    private static let published = Set(Topic.selectable).subtracting(missingTopics).union([.previewJPEG])

    private let origin: MessageOrigin
    private let topics: Set<Topic>
    private var producer: MessageProducer
    private var day = DayLedger()
    private var events = 0

    /// Prepares to make messages on `topics` only. Without `metadata` options, metadata has all values of each frame.
    package init(camera: String = "file", topics: Set<Topic> = Set(Topic.allCases), metadata: MetadataOptions? = nil) {
        self.topics = topics
        origin = MessageOrigin(camera: camera, boot: ULID.make(at: .wallClock()))
        producer = MessageProducer(origin, publish: Topic.allCases.filter(topics.intersection(Self.published).contains))
        if let metadata { producer.use(metadata) }
    }

    /// Returns the messages to publish before the session runs: the status and today's totals.
    package mutating func begin() -> [DaemonMessage] {
        wanted(producer.change { $0.statsInterval = Self.statsInterval } + [.today(day.today, from: origin)])
    }

    private func wanted(_ messages: [DaemonMessage]) -> [DaemonMessage] {
        messages.filter { topics.contains($0.topic) }
    }

    /// Returns the messages about an update, in the order in which a daemon publishes them.
    package mutating func messages(of update: FaceUpdate) -> [DaemonMessage] {
        var messages: [DaemonMessage] = []
        for (event, faces) in zip(update.events, update.events.faceCounts(upTo: update.faces.count)) {
            let now = Timestamp.wallClock()
            if topics.contains(Topic(event.kind)) {
                events += 1
                let captured = update.captureTime(of: event)
                messages.append(.event(EventMessage(origin, events, event, faces: faces, captured, at: now)))
            }
            if day.note(event, at: now) { messages.append(.today(day.today, from: origin)) }
        }
        return wanted(messages + producer.conditions(of: update) + producer.values(of: update))
    }

    /// Returns the messages of one statistics interval: after midnight the totals of the new day, then the statistics.
    package mutating func messages(of stats: DaemonStats) -> [DaemonMessage] {
        let today = day.turn(to: .wallClock()) ? [DaemonMessage.today(day.today, from: origin)] : []
        return wanted(today + [.stats(stats, from: origin)])
    }
}

extension FaceUpdate {
    /// Returns the time at which an event happened in front of the camera; nil if the update is not about a frame.
    package func captureTime(of event: FaceEvent) -> ContinuousClock.Instant? {
        guard let stamp, let captured else { return nil }
        // A blink happened before the frame that made it certain.
        return captured - max(.zero, .seconds(stamp.mediaTime - event.stamp.mediaTime))
    }
}

extension [FaceEvent] {
    /// Returns the number of present faces after each event; `last` is the number after the last event.
    package func faceCounts(upTo last: Int) -> [Int] {
        var count = last
        return reversed().map { event in
            defer { count -= [.enter: 1, .leave: -1][Topic(event.kind), default: 0] }
            return Swift.max(0, count)
        }.reversed()
    }
}
