/// The totals of what a camera has seen since local midnight: the payload of `faces/today`.
///
/// Looks and smiles count when they begin. A visit is the presence of a face from `enter` to `leave`, and counts when
/// the `leave` is published. A person who comes back makes another visit.
public struct DayTotals: Hashable, Sendable, WireValue {
    /// The time at which counting began: the first moment of the local day at which the daemon was running.
    public var since: Timestamp
    /// The number of visits that have ended.
    public var visits = 0
    /// The number of looks at the camera, including those of visits that have not ended.
    public var looks = 0
    /// The total length of the looks that have ended, in seconds.
    public var lookingSeconds = 0.0
    /// The number of smiles, including those of visits that have not ended.
    public var smiles = 0
    /// The largest number of faces that were present at the same time.
    public var mostFaces = 0
    /// The totals of each hour, in the order of the hours. Hours in which nothing was counted are left out.
    public var hours: [Hour] = []

    /// The totals of one hour of local time. An hour that comes twice, when clocks go back, is one entry.
    public struct Hour: Hashable, Sendable, WireValue {
        /// The hour, 0…23.
        public var hour: Int
        /// The number of visits that ended in the hour.
        public var visits = 0
        /// The number of looks that began in the hour.
        public var looks = 0
        /// The total length of the looks that ended in the hour, in seconds.
        public var lookingSeconds = 0.0
        /// The number of smiles that began in the hour.
        public var smiles = 0

        /// Makes totals that are all zero.
        public init(hour: Int) { self.hour = hour }

        mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
            try wire.field("hour", &hour, .integer(0...23))
            try wire.sums(&visits, &looks, &lookingSeconds, &smiles)
        }
    }

    /// Makes totals that are all zero.
    public init(since: Timestamp) { self.since = since }

    /// Adds the looks and smiles of a visit since it was last counted and, if the visit has ended, the visit itself.
    ///
    /// - Parameters:
    ///   - visit: The visit so far; empty if the face proved to be a photo, which subtracts what was counted before.
    ///   - counted: The visit as it was last counted.
    ///   - hasEnded: Whether the visit has ended.
    ///   - now: The current time.
    ///   - offset: Returns the seconds by which local time is ahead of UTC at a time.
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
        // Rounded as in messages, so that subscribers who add up the visits get the same sum.
        func sent(_ visit: Visit) -> Double { (visit.lookingSeconds * 1000).rounded() / 1000 }
        after.lookingSeconds = max(0, after.lookingSeconds + sent(visit) - sent(counted))
        guard after != before else { return }
        if place < hours.count { hours[place] = after } else { hours.append(after) }
        visits += after.visits - before.visits
        looks += after.looks - before.looks
        smiles += after.smiles - before.smiles
        lookingSeconds += after.lookingSeconds - before.lookingSeconds
    }

    /// Returns the local day, counted from 1970, and the second within that day.
    private static func local(_ time: Timestamp, _ offset: (Timestamp) -> Int) -> (day: Int, second: Int) {
        let local = Int((Double(time.nanoseconds) / 1e9).rounded(.down)) + offset(time)
        let day = Int((Double(local) / 86_400).rounded(.down))
        return (day, local - day * 86_400)
    }

    /// Begins new totals if another local day has begun.
    ///
    /// A clock that is set back to the day before, as at the start of a machine without a battery for its clock, does
    /// not begin a new day. If it is set back further, the earlier time was wrong, and new totals begin.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - faces: The number of faces that are present.
    ///   - offset: Returns the seconds by which local time is ahead of UTC at a time.
    /// - Returns: Whether new totals have begun.
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
        // Daemons before 0.4 do not send the hours.
        try wire.field("hours", &hours, .list(of: Hour(hour: 0)) { $0.hour }, or: [])
    }
}

extension WireFields {
    /// Writes or reads the fields that the totals of a day and of an hour have in common.
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
