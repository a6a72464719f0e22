/// Decides when to overwrite another client's message on this client's own topic.
///
/// A late will is corrected at once. Should two programs both claim the topic, their corrections grow rarer instead of
/// answering each other as fast as the network can.
struct SelfCorrection {
    /// Corrections closer together than this mean that another client keeps writing.
    static let quietPeriod: Int64 = 60_000_000_000
    /// The second correction in a row waits that long, each further one twice as long as the one before.
    static let firstWait: Int64 = 1_000_000_000

    private(set) var due: Int64?
    private var last: Int64?
    private var correctionsInARow = 0

    /// Notes another client's message. Returns whether another client seems to write here too; true once.
    mutating func noticed(now: Int64) -> Bool {
        guard due == nil else { return false }
        guard let last, now - last < Self.quietPeriod else {
            correctionsInARow = 0
            due = now
            return false
        }
        due = max(now, last + (Self.firstWait...Self.quietPeriod / 2).doubling(correctionsInARow))
        correctionsInARow += 1
        return correctionsInARow == 3
    }

    mutating func isDue(now: Int64) -> Bool {
        guard let due, now >= due else { return false }
        self.due = nil
        last = now
        return true
    }

    /// The connection ended; on the next one all is sent anyway.
    mutating func connectionLost() { due = nil }
}

/// Decides whether another client with our client id is there, by what it leaves on this client's own topic.
///
/// Not every broker says why it closed a connection (mosquitto 2.0 does not), and a takeover looks like any other loss.
/// But the client that took our place also wrote its own state where ours was. A client that comes back and finds that twice
/// gives way, before it writes its own: the other one, thrown out by our return, then finds nothing strange and stays.
struct RivalWatch {
    /// Sightings further apart than this have nothing to do with each other.
    static let window: Int64 = 600_000_000_000

    private var last: Int64?

    /// Notes that another client's state was found on our return.
    ///
    /// Once is no proof: a broker that crashed may have come back with what an earlier run of ours left there.
    /// - Returns: whether to give way.
    mutating func noticed(now: Int64) -> Bool {
        defer { last = now }
        guard let last else { return false }
        return now - last < Self.window
    }
}
