import Testing

@testable import FaceInference

@Suite("Search schedule")
struct SearchScheduleTests {
    private func schedule(interval: Double = 0.5) -> SearchSchedule {
        SearchSchedule(interval: interval, maximumFaces: 2)
    }

    /// Runs eight frames a second with those numbers of faces; S is a search, - none.
    private func timeline(_ counts: String, interval: Double = 0.5) -> String {
        var schedule = schedule(interval: interval)
        var before = 0
        var searches = ""
        for (frame, character) in counts.enumerated() {
            let count = character.wholeNumberValue ?? 0
            let time = Double(frame) / 8
            if count < before { schedule.lastLoss = time }
            before = count
            let isDue = schedule.isDue(at: time, following: count, isChanging: count > 0)
            if isDue { schedule.noteSearch(at: time) }
            searches += isDue ? "S" : "-"
        }
        return searches
    }

    @Test("searches always without a face")
    func empty() { #expect(timeline("00000000000") == "SSSSSSSSSSS") }

    @Test("searches at the interval with fewer faces than wanted, never with all")
    func some() {
        #expect(timeline("0111111111111") == "S---S---S---S")
        #expect(timeline("02222222222") == "S----------")
    }

    @Test("searches again soon beside a face where not everything changes all the time")
    func calm() {
        var schedule = schedule()
        schedule.noteSearch(at: 0)
        #expect(!schedule.isDue(at: 0.1, following: 1))
        #expect(schedule.isDue(at: 0.2, following: 1))
        #expect(!schedule.isDue(at: 0.4, following: 1, isChanging: true))
    }

    @Test("every other search is for large faces only while the scene changes all the time, none after a cut")
    func coarse() {
        var schedule = schedule()
        var coarse: [Bool] = []
        func search(_ time: Double, isChanging: Bool = true) {
            coarse.append(schedule.mayBeCoarse(mayAlternate: isChanging))
            schedule.noteSearch(at: time, isCoarse: coarse.last ?? false)
        }
        for time in 0..<4 { search(Double(time)) }
        #expect(coarse == [true, false, true, false])
        search(4, isChanging: false)
        schedule.noteCut()
        for time in 5..<10 { search(Double(time)) }
        #expect(coarse.dropFirst(4) == [false, false, false, false, true, false])
    }

    @Test("searches at once after a cut beside a face that moves, and twice more soon")
    func cut() {
        var schedule = schedule()
        schedule.noteSearch(at: 0)
        func isDue(_ time: Double) -> Bool { schedule.isDue(at: time, following: 1, isChanging: true) }
        #expect(!schedule.canCompare(at: 0.05, following: 1) && schedule.canCompare(at: 0.1, following: 1))
        #expect(!schedule.canCompare(at: 0.1, following: 2))
        #expect(!isDue(0.1))
        schedule.lastPostponement = 0.1
        schedule.noteCut()
        var searched: [Double] = []
        for frame in 3...25 where isDue(Double(frame) / 30) {
            schedule.noteSearch(at: Double(frame) / 30)
            searched.append((Double(frame) / 30 * 100).rounded() / 100)
        }
        #expect(searched == [0.1, 0.27, 0.43])
    }

    @Test("searches ten times a second for a while after a loss")
    func loss() {
        #expect(timeline("0222111111111") == "S---SSSS---S-")
        var schedule = schedule()
        schedule.lastLoss = 0
        let searched = (0..<16).filter { frame in
            let time = Double(frame) / 30
            guard schedule.isDue(at: time, following: 0) else { return false }
            schedule.noteSearch(at: time)
            return true
        }
        #expect(searched == [0, 1, 4, 7, 10, 13, 15])
    }

    @Test("a long interval makes a loss no dearer")
    func longInterval() { #expect(timeline("0222111111111", interval: 60) == "S---SSSS-----") }

    @Test("a search beside faces can be put off for a tenth of a second at a time, and for five seconds in all")
    func postponement() {
        var schedule = schedule()
        schedule.noteSearch(at: 0)
        var asked: [Double] = []
        for frame in 1...30 {
            let time = Double(frame) / 30
            guard schedule.isDue(at: time, following: 1, isChanging: true) else { continue }
            asked.append(time)
            #expect(!schedule.isOverdue(at: time))
            schedule.lastPostponement = time
        }
        #expect(asked == [0.5, 0.6, 0.7, 0.8, 0.9, 1].map { ($0 * 30).rounded() / 30 })
        #expect(!schedule.isOverdue(at: 4.9) && schedule.isOverdue(at: 5))
    }

    @Test("searches again when the source begins anew")
    func restart() {
        var schedule = schedule()
        schedule.noteSearch(at: 100)
        #expect(!schedule.isDue(at: 100.1, following: 1))
        #expect(schedule.isDue(at: 0, following: 1))
    }
}
