/// What a camera has seen since local midnight: what `faces/today` carries.
///
/// A visit counts when its `leave` is published, with all that belongs to it. A visit is not a person: one who comes back
/// makes another visit.
public struct DayTotals: Hashable, Sendable {
    /// When counting began: the first moment of the local day at which the daemon ran.
    public var since: Timestamp
    /// Visits that have ended.
    public var visits = 0
    /// Looks of these visits.
    public var looks = 0
    /// How long they lasted together, in seconds.
    public var lookingSeconds = 0.0
    /// Smiles of these visits.
    public var smiles = 0
    /// The largest number of faces at the same time.
    public var mostFaces = 0

    /// Makes totals that begin with zero.
    public init(since: Timestamp) {
        self.since = since
    }

    /// Takes in a visit that has ended; of one that nothing is known of only that it was one.
    package mutating func add(_ visit: Visit?) {
        visits += 1
        guard let visit else { return }
        looks += visit.looks
        smiles += visit.smiles
        // As subscribers get it, so that what they add up is the same.
        lookingSeconds += (visit.lookingSeconds * 1000).rounded() / 1000
    }

    /// Begins anew if another local day has begun.
    ///
    /// A clock that was set back, as that of a machine without one is at its start, does not begin a day again; one that is
    /// two days and more behind was wrong before.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - faces: How many faces are there.
    ///   - offset: Seconds that local time is ahead of UTC at a time.
    /// - Returns: Whether another day has begun.
    package mutating func turn(to now: Timestamp, faces: Int, offset: (Timestamp) -> Int) -> Bool {
        func day(_ time: Timestamp) -> Int64 {
            let local = time.advanced(bySeconds: Double(offset(time))).nanoseconds
            return Int64((Double(local) / 86_400e9).rounded(.down))
        }
        let days = day(now) - day(since)
        guard days > 0 || days < -1 else { return false }
        self = DayTotals(since: now)
        mostFaces = faces
        return true
    }
}
