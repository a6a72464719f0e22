import MQTT

/// Reports to the person at the terminal that messages are dropped, once when it begins and once when it is over.
struct DropNotices {
    private var reported = 0
    private var isDropping = false

    /// What to say, given how many messages were dropped so far and whether the rush is over; nil if nothing.
    mutating func note(_ dropped: Int, isOver: Bool) -> String? {
        if isDropping, isOver {
            isDropping = false
            defer { reported = dropped }
            return "\(dropped - reported) messages were dropped"
        }
        guard dropped > reported, !isDropping else { return nil }
        isDropping = !isOver
        guard isOver else { return "messages come faster than they are taken: the oldest are dropped" }
        defer { reported = dropped }
        return "\(dropped - reported) messages came too fast and were dropped"
    }
}
