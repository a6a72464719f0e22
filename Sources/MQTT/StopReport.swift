/// What was left when a connection was stopped.
package struct StopReport: Hashable, Sendable {
    /// Whether the broker got the farewell and the goodbye; if not, it publishes the will.
    package var saidGoodbye: Bool
    /// Events the broker has not acknowledged.
    ///
    /// They stay in the store, for the next run if it survives this one.
    package var unsentEvents: Int
    /// State topics whose newest message the broker has not got.
    package var unsentTopics: [String]

    /// Makes a report.
    package init(saidGoodbye: Bool, unsentEvents: Int, unsentTopics: [String]) {
        self.saidGoodbye = saidGoodbye
        self.unsentEvents = unsentEvents
        self.unsentTopics = unsentTopics
    }
}
