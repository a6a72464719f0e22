import Testing

@testable import Frames

@Suite("Presentation timeline")
struct PresentationTimelineTests {
    /// Media times of a clip of 10 pictures a second.
    private func times(_ presentations: [Double?]) -> [Double] {
        var timeline = PresentationTimeline(rate: 10)
        return presentations.map { timeline.mediaTime(presentation: $0) }
    }

    private func areEqual(_ left: [Double], _ right: [Double]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { abs($0 - $1) < 1e-9 }
    }

    @Test("starts at 0 and keeps the distances")
    func regular() {
        #expect(areEqual(times([7, 7.1, 7.35, 9]), [0, 0.1, 0.35, 2]))
    }

    @Test("continues by one nominal frame where a time is missing")
    func missing() {
        #expect(areEqual(times([nil, nil, 5, 5.1, nil, 5.3]), [0, 0.1, 0.2, 0.3, 0.4, 0.5]))
    }

    @Test("puts a repeated or slightly earlier time just after the one before")
    func repeated() {
        #expect(areEqual(times([0, 0.1, 0.1, 0.05, 0.2]), [0, 0.1, 0.101, 0.102, 0.2]))
    }

    @Test("times that differ by rounding alone are no steps, by which later ones would stand still")
    func rounding() {
        let steps: [Double?] =
            [nil, 26.209, nil, nil, 41.79, nil, nil] + Array(repeating: -58.082, count: 20)
            + [-25.935, nil, nil, 0, 0, nil, 8.449]
        var timeline = PresentationTimeline(rate: nil)
        var given = 0.0
        let times = steps.map { step in
            given += step ?? 0
            return timeline.mediaTime(presentation: step == nil ? nil : given)
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
    }

    @Test("takes a large step back for a new beginning")
    func restart() {
        #expect(areEqual(times([100, 100.1, 3, 3.1, 3.2]), [0, 0.1, 0.2, 0.3, 0.4]))
    }

    @Test("bridges a step that cannot be, and comes back where only one time was wrong")
    func leap() {
        #expect(areEqual(times([0, 0.1, 1e13, 0.3, 80_000, .infinity, 0.6]), [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
        #expect(areEqual(times([0, 0.1, 60.1, 60.2, 60.3]), [0, 0.1, 0.2, 0.3, 0.4]))
    }

    @Test("keeps a pause, and the steps of pictures that are seconds apart")
    func pause() {
        #expect(areEqual(times([0, 0.1, 8.1, 8.2]), [0, 0.1, 8.1, 8.2]))
        #expect(areEqual(times([0, 20, 40, 180, 200]), [0, 20, 40, 180, 200]))
        #expect(areEqual(times([0, 60, 120, 180]), [0, 0.1, 60.1, 120.1]))
    }

    @Test("takes times that stand still, or were set back by less than a second, for none")
    func standstill() {
        #expect(areEqual(times([7, 7, 7, 7, 7, 7]), [0, 0.001, 0.002, 0.003, 0.103, 0.203]))
        let back = times([1, 1.1, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1])
        #expect(abs(back[7] - back[6] - 0.1) < 1e-9 && back[7] < 0.7, "\(back)")
    }

    @Test("of a live stream no step is believed that is longer than the pause in which it came")
    func live() {
        var timeline = PresentationTimeline(rate: 10)
        timeline.longestStep = PresentationTimeline.longestStepOfLive
        let pictures: [(Double, Double)] = [(0, 0), (0.1, 0.1), (5.2, 0.1), (0.3, 0.1), (4.3, 4), (4.4, 0.1)]
        #expect(
            areEqual(pictures.map { timeline.mediaTime(presentation: $0, after: $1) }, [0, 0.1, 0.2, 0.3, 4.3, 4.4])
        )
        #expect(timeline.corrections == 1)
    }

    @Test("what has no times but those of its arrival gets those, beginning at 0 and always growing")
    func arrivals() {
        var timeline = PresentationTimeline(rate: nil)
        let times = [0.001, 0.4, 0.4, 0.3, 2].map { timeline.mediaTime(arrival: $0) }
        #expect(areEqual(times, [0, 0.4, 0.400_001, 0.400_002, 2]))
    }

    @Test("a new round follows the one before, not before the given time")
    func rounds() {
        var timeline = PresentationTimeline(rate: 10)
        _ = timeline.mediaTime(presentation: 1)
        timeline.beginRound()
        #expect(abs(timeline.mediaTime(presentation: 1) - 0.1) < 1e-9)
        timeline.beginRound(notBefore: 5)
        #expect(abs(timeline.mediaTime(presentation: 1) - 5) < 1e-9)
        #expect(abs(timeline.mediaTime(presentation: 1.1) - 5.1) < 1e-9)
    }
}
