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
    /// The same by the hour in which visits ended, in the order in which hours began; those without one are left out.
    public var hours: [Hour] = []

    /// The visits that ended in one hour of the local clock: in both, where the clock passes it twice.
    public struct Hour: Hashable, Sendable {
        /// From 0 to 23.
        public var hour: Int
        /// Visits that have ended.
        public var visits = 0
        /// Looks of these visits.
        public var looks = 0
        /// How long they lasted together, in seconds.
        public var lookingSeconds = 0.0
        /// Smiles of these visits.
        public var smiles = 0

        /// Makes totals that begin with zero.
        public init(hour: Int) { self.hour = hour }
    }

    /// Makes totals that begin with zero.
    public init(since: Timestamp) { self.since = since }

    /// Takes in a visit that has ended; of one that nothing is known of only that it was one.
    ///
    /// - Parameters:
    ///   - visit: The visit.
    ///   - now: When it ended.
    ///   - offset: Seconds that local time is ahead of UTC at a time.
    package mutating func add(_ visit: Visit?, at now: Timestamp, offset: (Timestamp) -> Int) {
        let hour = Self.local(now, offset).second / 3600
        let index = hours.firstIndex { $0.hour == hour } ?? hours.endIndex
        if index == hours.endIndex { hours.append(Hour(hour: hour)) }
        count(visit)
        hours[index].count(visit)
    }

    /// The number of the local day, and its second by the local clock.
    private static func local(_ time: Timestamp, _ offset: (Timestamp) -> Int) -> (day: Int, second: Int) {
        let local = Int((Double(time.nanoseconds) / 1e9).rounded(.down)) + offset(time)
        let day = Int((Double(local) / 86_400).rounded(.down))
        return (day, local - day * 86_400)
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
        let days = Self.local(now, offset).day - Self.local(since, offset).day
        guard days > 0 || days < -1 else { return false }
        self = DayTotals(since: now)
        mostFaces = faces
        return true
    }
}

/// What is summed up of visits, over a day or an hour of it.
protocol VisitSums {
    var visits: Int { get set }
    var looks: Int { get set }
    var lookingSeconds: Double { get set }
    var smiles: Int { get set }
}

extension VisitSums {
    fileprivate mutating func count(_ visit: Visit?) {
        visits += 1
        guard let visit else { return }
        looks += visit.looks
        smiles += visit.smiles
        // As subscribers get it, so that what they add up is the same.
        lookingSeconds += (visit.lookingSeconds * 1000).rounded() / 1000
    }

    mutating func sums<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("visits", &visits, .counter)
        try wire.field("looks", &looks, .counter)
        try wire.field("lookingSeconds", &lookingSeconds, .seconds)
        try wire.field("smiles", &smiles, .counter)
    }
}

extension DayTotals: VisitSums {}
extension DayTotals.Hour: VisitSums {}
