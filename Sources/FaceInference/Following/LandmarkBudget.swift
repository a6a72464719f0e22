/// Spreads the landmarks of many faces over frames, so that the analysis stays within a share of one core. It goes by
/// the processor time of earlier frames, so that, unlike without a budget, the events depend on the machine's speed.
struct LandmarkBudget {
    /// A face whose landmarks could be computed in a frame.
    struct Candidate: Hashable {
        /// The side of the face's region, in pixels.
        var side: Float
        /// Whether the face was found a moment ago.
        var isNew: Bool
        /// The number of frames in a row in which the face was not computed.
        var waited: Int
    }

    /// A mean that forgets old values.
    private struct Average {
        var value: Double?

        mutating func add(_ new: Double) { value = value.map { $0 + 0.05 * (new - $0) } ?? new }
    }

    /// The share of one core that may be used, above 0.
    let share: Double
    /// The average seconds of processor time for the landmarks of one face, and for everything else in a frame.
    private var run = Average()
    private var other = Average()
    /// The average seconds of media time from frame to frame.
    private var interval = Average()
    private var lastTime: Double?

    init(share: Double) { self.share = share }

    /// The number of faces that can be computed in a frame, at least one; all before anything was measured.
    var faces: Int {
        guard let run = run.value, let interval = interval.value, run > 0 else { return .max }
        let count = (share * interval - (other.value ?? 0)) / run
        return count < 1 ? 1 : count > 1000 ? .max : Int(count)
    }

    /// The faces to compute in the next frame: new ones first, then large ones and those that have waited.
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

    /// Takes the cost of a frame of that media time, in seconds of processor time.
    mutating func note(landmarks: Double, of count: Int, other: Double, at time: Double) {
        if count > 0 { run.add(landmarks / Double(count)) }
        self.other.add(other)
        if let lastTime, time > lastTime { interval.add(time - lastTime) }
        lastTime = time
    }
}
