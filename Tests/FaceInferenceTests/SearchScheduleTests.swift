import Testing

@testable import FaceInference

@Suite("Search schedule")
struct SearchScheduleTests {
    private func schedule(alwaysSmall: Bool = false, interval: Double = 0.5) -> SearchSchedule {
        SearchSchedule(interval: interval, maximumFaces: 2, alwaysSmall: alwaysSmall)
    }

    /// Runs eight frames a second with those numbers of faces; S is a search for all, s one for small faces
    /// only if there are no large ones, m one for small ones, l one for large ones, - none.
    private func timeline(_ counts: String, alwaysSmall: Bool = false, interval: Double = 0.5) -> String {
        var schedule = schedule(alwaysSmall: alwaysSmall, interval: interval)
        let letters =
            [.none: "-", .large: "l", .largeElseSmall: "s", .small: "m", .largeAndSmall: "S"]
            as [SearchSchedule.Search: String]
        var before = 0
        var searches = ""
        for (frame, character) in counts.enumerated() {
            let count = character.wholeNumberValue ?? 0
            let time = Double(frame) / 8
            if count < before { schedule.noteLoss(at: time) }
            before = count
            let due = schedule.due(at: time, following: count, isChanging: count > 0)
            if due != .none { schedule.noteSearch(due, at: time) }
            searches += letters[due] ?? "?"
        }
        return searches
    }

    @Test("searches always without a face, for small ones at the interval")
    func empty() { #expect(timeline("00000000000") == "slllslllsll") }

    @Test("searches for small faces in each of ten frames a second while the scene changes")
    func changing() {
        var schedule = schedule()
        let searches = (0..<5).map { frame in
            let due = schedule.due(at: Double(frame) / 10, following: 0, isChanging: true)
            schedule.noteSearch(due, at: Double(frame) / 10)
            return due
        }
        #expect(searches == Array(repeating: .largeElseSmall, count: 5))
    }

    @Test("searches at the interval with fewer faces than wanted, every other time for large ones, never with all")
    func some() {
        #expect(timeline("0111111111111") == "s---m---S---m")
        #expect(timeline("02222222222") == "s----------")
    }

    @Test("searches again soon beside a face where not everything changes all the time")
    func calm() {
        var schedule = schedule()
        schedule.noteSearch(.largeAndSmall, at: 0)
        #expect(schedule.due(at: 0.1, following: 1) == .none)
        #expect(schedule.due(at: 0.2, following: 1) == .small)
        #expect(schedule.due(at: 0.4, following: 1, isChanging: true) == .none)
    }

    @Test("searches at once after a cut beside a face that moves, and twice more soon")
    func cut() {
        var schedule = schedule()
        schedule.noteSearch(.small, at: 0)
        func isDue(_ time: Double) -> Bool { schedule.due(at: time, following: 1, isChanging: true) != .none }
        #expect(!schedule.canCompare(at: 0.05, following: 1) && schedule.canCompare(at: 0.1, following: 1))
        #expect(!schedule.canCompare(at: 0.1, following: 2))
        #expect(!isDue(0.1))
        schedule.notePostponement(at: 0.1)
        schedule.noteCut()
        var searched: [Double] = []
        for frame in 3...25 where isDue(Double(frame) / 30) {
            schedule.noteSearch(schedule.due(at: Double(frame) / 30, following: 1), at: Double(frame) / 30)
            searched.append((Double(frame) / 30 * 100).rounded() / 100)
        }
        #expect(searched == [0.1, 0.27, 0.43])
    }

    @Test("searches thoroughly in every frame for a while after a loss")
    func loss() { #expect(timeline("0222111111111") == "s---SSSS---m-") }

    @Test("a long interval makes neither a loss dearer nor small faces late")
    func longInterval() {
        #expect(timeline("0222111111111", interval: 60) == "s---SSSS-----")
        #expect(timeline("00000000000", interval: 60) == "slllslllsll")
    }

    @Test("a search beside faces can be put off for a tenth of a second at a time, and for a second in all")
    func postponement() {
        var schedule = schedule()
        schedule.noteSearch(.largeAndSmall, at: 0)
        var (asked, overdue): ([Double], [SearchSchedule.Search]) = ([], [])
        for frame in 1...30 {
            let time = Double(frame) / 30
            guard schedule.due(at: time, following: 1, isChanging: true) != .none else { continue }
            asked.append(time)
            overdue.append(schedule.overdue(at: time))
            schedule.notePostponement(at: time)
        }
        #expect(asked == [0.5, 0.6, 0.7, 0.8, 0.9, 1].map { ($0 * 30).rounded() / 30 })
        #expect(overdue == [.none, .none, .none, .none, .none, .small])
        schedule.noteSearch(.small, at: 1)
        #expect(schedule.due(at: 1.4, following: 1, isChanging: true) == .none)
        #expect(schedule.due(at: 1.5, following: 1, isChanging: true) == .largeAndSmall)
        #expect(schedule.overdue(at: 2) == .large)
    }

    @Test("searches for small faces in every frame without a face at high accuracy")
    func high() { #expect(timeline("000111111", alwaysSmall: true) == "SSS---m--") }

    @Test("searches again when the source begins anew")
    func restart() {
        var schedule = schedule()
        schedule.noteSearch(.large, at: 100)
        #expect(schedule.due(at: 100.1, following: 1) == .none)
        #expect(schedule.due(at: 0, following: 1) == .small)
    }
}
