import Testing

@testable import FaceInference

@Suite("Landmarks of many faces within a share of a core")
struct LandmarkBudgetTests {
    /// A budget that has seen frames in which each face took 2 ms and the rest 1 ms, at 25 frames per second.
    private func budget(_ share: Double) -> LandmarkBudget {
        var budget = LandmarkBudget(share: share)
        for frame in 0..<10 { budget.note(landmarks: 0.008, of: 4, other: 0.001, at: Double(frame) / 25) }
        return budget
    }

    private func faces(_ sides: [Float], new: Int? = nil) -> [LandmarkBudget.Candidate] {
        sides.enumerated().map { .init(side: $1, isNew: $0 == new, waited: 0) }
    }

    @Test("as many faces as fit, at least one", arguments: [(0.05, 1), (0.25, 4), (0.5, 9)])
    func count(share: Double, expected: Int) {
        #expect(budget(share).faces == expected)
        #expect(LandmarkBudget(share: share).faces == .max)
    }

    @Test("all of few faces; of many the new ones, then the large ones")
    func choice() {
        let budget = budget(0.15)
        #expect(budget.faces == 2)
        #expect(budget.choice(of: faces([50, 60])) == [true, true])
        #expect(budget.choice(of: faces([50, 60, 40, 90])) == [false, true, false, true])
        #expect(budget.choice(of: faces([50, 60, 40, 90], new: 2)) == [false, false, true, true])
    }

    @Test("no face waits for ever")
    func fairness() {
        let budget = budget(0.15)
        var waited = [0, 0, 0, 0]
        var longest = 0
        for _ in 0..<100 {
            let candidates = zip([200 as Float, 100, 50, 25], waited).map {
                LandmarkBudget.Candidate(side: $0, isNew: false, waited: $1)
            }
            waited = zip(waited, budget.choice(of: candidates)).map { $1 ? 0 : $0 + 1 }
            longest = max(longest, waited.max() ?? 0)
        }
        #expect(longest <= 10)
    }
}
