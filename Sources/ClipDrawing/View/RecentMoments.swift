/// When something happened lately, to measure how often it does.
struct RecentMoments {
    /// Twelve seconds of pictures once every four seconds are still a rate.
    private static let span = Duration.seconds(12)
    /// The moments that a rate is measured from: enough for two seconds at the highest rate of a view.
    private static let capacity = 120

    private var moments: [ContinuousClock.Instant] = []

    mutating func add(_ moment: ContinuousClock.Instant) { moments = moments.suffix(Self.capacity - 1) + [moment] }

    /// How often it happened a second, over the last two, or the last few times if rarer; nil if it has not happened lately.
    func rate(at now: ContinuousClock.Instant) -> Double? {
        guard let last = moments.last, last.duration(to: now) < Self.span else { return nil }
        let recent = moments.filter { $0.duration(to: now) < .seconds(2) }
        let counted = recent.count >= 3 ? recent : Array(moments.suffix(3))
        guard let first = counted.first, first < last else { return 0 }
        return Double(counted.count - 1) / (first.duration(to: last) / .seconds(1))
    }
}
