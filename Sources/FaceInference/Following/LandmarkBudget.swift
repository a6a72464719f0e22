import System

/// Spreads the computation of many faces' landmarks over frames, so that the analysis stays within a fraction of one
/// core. It is controlled by the processor time of earlier frames, so the events depend on the machine's speed.
struct LandmarkBudget {
    /// A face whose landmarks could be computed in a frame.
    struct Candidate: Hashable {
        /// The side of the face's region, in pixels.
        var side: Float
        var isNew: Bool
        /// The number of frames in a row in which the face's landmarks were not computed.
        var waited: Int
    }

    private struct Average {
        var value: Double?

        mutating func add(_ new: Double) { value = value.map { $0 + 0.05 * (new - $0) } ?? new }
    }

    /// The fraction of one core that may be used, above 0.
    let share: Double
    /// The average processor time for one face's landmarks, in seconds. `other`: for everything else in a frame.
    private var run = Average()
    private var other = Average()
    /// The average media time from frame to frame, in seconds.
    private var interval = Average()
    private var lastTime: Double?
    /// The processor time, in seconds, that was spent since the last frame was noted, and counts for the next one.
    var spentSince = 0.0

    init(share: Double) { self.share = share }

    /// How many faces' landmarks can be computed in a frame, at least one. Not limited before the first measurement.
    var faces: Int {
        guard let run = run.value, let interval = interval.value, run > 0 else { return .max }
        let count = (share * interval - (other.value ?? 0)) / run
        return count < 1 ? 1 : count > 1000 ? .max : Int(count)
    }

    /// Returns for each candidate whether to compute its landmarks: new faces first, then by size and waiting time.
    func choice(of candidates: [Candidate]) -> [Bool] {
        guard candidates.count > faces else { return Array(repeating: true, count: candidates.count) }
        func rank(_ index: Int) -> (isNew: Int, weight: Float) {
            let face = candidates[index]
            return (face.isNew ? 1 : 0, face.side * Float(1 + face.waited))
        }
        var chosen = [Bool](repeating: false, count: candidates.count)
        for index in candidates.indices.sorted(by: { rank($0) > rank($1) }).prefix(faces) { chosen[index] = true }
        return chosen
    }

    /// Notes a frame's processor time, in seconds, for the landmarks of `count` faces and for everything else.
    mutating func note(landmarks: Double, of count: Int, other: Double, at time: Double) {
        if count > 0 { run.add(landmarks / Double(count)) }
        self.other.add(other + exchange(&spentSince, with: 0))
        if let lastTime, time > lastTime { interval.add(time - lastTime) }
        lastTime = time
    }
}
