/// Which discovery topics hold a message of ours, across restarts, so that none is left behind when discovery is switched
/// off, or the base or the prefix changes.
struct AnnouncedTopics: Hashable, Sendable {
    private(set) var topics: Set<String>

    /// Reads what `stored` gave in an earlier run; nil for none.
    init(stored: [UInt8]?) {
        // No topic holds a U+0000.
        topics = Set(String(decoding: stored ?? [], as: UTF8.self).split(separator: "\0").map(String.init))
    }

    /// What the next run needs to know; nil for nothing.
    var stored: [UInt8]? {
        topics.isEmpty ? nil : Array(topics.sorted().joined(separator: "\0").utf8)
    }

    /// Begins a run that announces on a topic, or on none.
    ///
    /// - Returns: The topics to be emptied.
    mutating func begin(announcing topic: String?) -> [String] {
        let left = topics.subtracting([topic].compactMap(\.self)).sorted()
        if let topic { topics.insert(topic) }
        return left
    }

    /// Forgets the topics that were emptied, but for those whose emptying the broker has not got.
    mutating func emptied(_ topics: [String], butNot undelivered: [String]) {
        self.topics.subtract(Set(topics).subtracting(undelivered))
    }
}
