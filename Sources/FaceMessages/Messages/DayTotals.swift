/// The totals of what a camera has seen since local midnight: the content of `faces/today`.
///
/// Looks and smiles count at once, a visit when its `leave` is published. A visit is not a person: one who comes back
/// makes another visit.
public struct DayTotals: Hashable, Sendable, WireValue {
    /// The time at which counting began: the first moment of the local day at which the daemon ran.
    public var since: Timestamp
    /// Visits that have ended.
    public var visits = 0
    /// Looks, also those of visits that are not over.
    public var looks = 0
    /// The seconds that all looks that have ended lasted together.
    public var lookingSeconds = 0.0
    /// Smiles, also those of visits that are not over.
    public var smiles = 0
    /// The largest number of faces at the same time.
    public var mostFaces = 0
    /// The totals by the hour, in the order of the hours; hours without anything to count are left out.
    public var hours: [Hour] = []

    /// Totals of one hour of local time. An hour that comes twice, when clocks go back, is one entry.
    public struct Hour: Hashable, Sendable, WireValue {
        /// The hour, from 0 to 23.
        public var hour: Int
        /// Visits that have ended.
        public var visits = 0
        /// Looks that began.
        public var looks = 0
        /// The seconds that all looks that ended in the hour lasted together.
        public var lookingSeconds = 0.0
        /// Smiles.
        public var smiles = 0

        /// Makes totals that begin with zero.
        public init(hour: Int) { self.hour = hour }

        mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
            try wire.field("hour", &hour, .integer(0...23))
            try wire.sums(&visits, &looks, &lookingSeconds, &smiles)
        }
    }

    /// Makes totals that begin with zero.
    public init(since: Timestamp) { self.since = since }

    /// Adds the difference between a visit and what was already counted of it, and the visit itself if it has ended.
    ///
    /// - Parameters:
    ///   - visit: The visit so far; with less than was counted, that is taken back, as far as this hour goes.
    ///   - counted: What of it is counted.
    ///   - hasEnded: Whether it has ended.
    ///   - now: The time.
    ///   - offset: Seconds that local time is ahead of UTC at a time.
    package mutating func add(
        _ visit: Visit,
        beyond counted: Visit = Visit(),
        hasEnded: Bool,
        at now: Timestamp,
        offset: (Timestamp) -> Int
    ) {
        let hour = Self.local(now, offset).second / 3600
        let place = hours.firstIndex { $0.hour == hour } ?? hours.count
        let before = place < hours.count ? hours[place] : Hour(hour: hour)
        var after = before
        after.visits += hasEnded ? 1 : 0
        after.looks = max(0, after.looks + visit.looks - counted.looks)
        after.smiles = max(0, after.smiles + visit.smiles - counted.smiles)
        // As subscribers get it, so that what they add up is the same.
        func sent(_ visit: Visit) -> Double { (visit.lookingSeconds * 1000).rounded() / 1000 }
        after.lookingSeconds = max(0, after.lookingSeconds + sent(visit) - sent(counted))
        guard after != before else { return }
        if place < hours.count { hours[place] = after } else { hours.append(after) }
        visits += after.visits - before.visits
        looks += after.looks - before.looks
        smiles += after.smiles - before.smiles
        lookingSeconds += after.lookingSeconds - before.lookingSeconds
    }

    /// The number of the local day, and its second by the local clock.
    private static func local(_ time: Timestamp, _ offset: (Timestamp) -> Int) -> (day: Int, second: Int) {
        let local = Int((Double(time.nanoseconds) / 1e9).rounded(.down)) + offset(time)
        let day = Int((Double(local) / 86_400).rounded(.down))
        return (day, local - day * 86_400)
    }

    /// Begins new totals if another local day has begun.
    ///
    /// A clock that was set back, as that of a machine without one is at its start, does not begin a day again; one
    /// that is two days and more behind was wrong before.
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

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("since", &since, .time)
        try wire.sums(&visits, &looks, &lookingSeconds, &smiles)
        try wire.field("mostFaces", &mostFaces, .counter)
        // Daemons before 0.4 have none.
        try wire.field("hours", &hours, .list(of: Hour(hour: 0)) { $0.hour }, or: [])
    }
}

extension WireFields {
    /// The sums over visits that a day and an hour have in common.
    fileprivate mutating func sums(
        _ visits: inout Int,
        _ looks: inout Int,
        _ lookingSeconds: inout Double,
        _ smiles: inout Int
    ) throws(Failure) {
        try field("visits", &visits, .counter)
        try field("looks", &looks, .counter)
        try field("lookingSeconds", &lookingSeconds, .seconds)
        try field("smiles", &smiles, .counter)
    }
}
