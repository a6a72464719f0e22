import FaceMetadata
import Foundation
import Testing

@testable import FaceMessages

@Suite("Today's totals")
struct DayTotalsTests {
    /// Totals in a time zone that are told the time every minute; a daemon does so more often.
    private struct Clock {
        let zone: TimeZone
        var totals: DayTotals
        /// When days began, by local time.
        var turns: [String] = []
        /// The hours of each day before that.
        var hours: [[DayTotals.Hour]] = []

        init(_ zone: String, from start: String) throws {
            self.zone = try #require(TimeZone(identifier: zone))
            totals = DayTotals(since: try #require(Timestamp(iso8601: start)))
        }

        mutating func run(to end: String, every minutes: Double = 1) throws {
            let end = try #require(Timestamp(iso8601: end))
            var now = totals.since
            while now < end {
                var visit = Visit()
                (visit.looks, visit.smiles, visit.lookingSeconds) = (2, 1, 0.5)
                let offset = { [zone] (time: Timestamp) in
                    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.nanoseconds) / 1e9))
                }
                totals.add(visit, hasEnded: true, at: now, offset: offset)
                let before = totals.hours
                now = now.advanced(bySeconds: minutes * 60)
                guard totals.turn(to: now, faces: 2, offset: offset) else { continue }
                #expect((totals.visits, totals.mostFaces, totals.since) == (0, 2, now))
                let local = now.advanced(bySeconds: Double(offset(now)))
                turns.append(String(local.iso8601.prefix(16)))
                hours.append(before)
                #expect(totals.hours.isEmpty)
            }
        }
    }

    @Test(
        "begin anew at local midnight, once a day, also where the clock changes then",
        arguments: [
            // The clock goes forward by an hour at two, and back at three.
            ("Europe/Berlin", "2026-03-27T12:00:00Z", ["2026-03-28", "2026-03-29", "2026-03-30"]),
            ("Europe/Berlin", "2026-10-23T12:00:00Z", ["2026-10-24", "2026-10-25", "2026-10-26"]),
            // Midnight itself is left out, and comes twice.
            ("Africa/Cairo", "2026-04-22T12:00:00Z", ["2026-04-23", "2026-04-24", "2026-04-25"]),
            ("America/Havana", "2026-10-30T12:00:00Z", ["2026-10-31", "2026-11-01", "2026-11-02"]),
            ("America/Santiago", "2026-04-03T12:00:00Z", ["2026-04-04", "2026-04-05", "2026-04-06"]),
            ("Pacific/Kiritimati", "2026-01-01T12:00:00Z", ["2026-01-03", "2026-01-04"]),
        ]
    )
    func midnight(zone: String, start: String, days: [String]) throws {
        var clock = try Clock(zone, from: start)
        let end = try #require(Timestamp(iso8601: start)).advanced(bySeconds: 3 * 86_400 - 6 * 3600)
        try clock.run(to: end.iso8601)
        #expect(clock.turns.map { String($0.prefix(10)) } == days)
        #expect(clock.turns.allSatisfy { $0.hasSuffix("T00:00") || ($0.hasSuffix("T01:00") && zone == "Africa/Cairo") })
    }

    @Test(
        "have each hour of the local clock once, also where the clock passes it twice or leaves it out",
        arguments: [
            ("Europe/Berlin", "2026-03-28T23:00:00Z", [2: 0]),
            ("Europe/Berlin", "2026-10-24T22:00:00Z", [2: 120]),
            ("Africa/Cairo", "2026-04-23T22:00:00Z", [0: 0]),
            ("Australia/Lord_Howe", "2026-10-03T13:30:00Z", [2: 30]),
            ("Asia/Kolkata", "2026-10-24T18:30:00Z", [:]),
        ]
    )
    func hours(zone: String, midnight: String, unusual: [Int: Int]) throws {
        var clock = try Clock(zone, from: midnight)
        let end = try #require(Timestamp(iso8601: midnight)).advanced(bySeconds: 26 * 3600)
        try clock.run(to: end.iso8601)
        let hours = try #require(clock.hours.first)
        let expected = (0..<24).map { ($0, unusual[$0] ?? 60) }.filter { $0.1 > 0 }
        #expect(hours.map(\.hour) == expected.map(\.0))
        #expect(hours.map(\.visits) == expected.map(\.1))
        #expect(hours.map(\.looks) == expected.map { 2 * $0.1 })
        #expect(hours.map(\.smiles) == expected.map(\.1))
        #expect(hours.map(\.lookingSeconds) == expected.map { 0.5 * Double($0.1) })
    }

    @Test(
        "stay when the clock is a day behind, as at the start of a machine without one, and begin anew if it was wrong"
    )
    func clockBehind() throws {
        var totals = DayTotals(since: try #require(Timestamp(iso8601: "2026-11-21T00:00:05Z")))
        totals.add(Visit(), hasEnded: true, at: totals.since) { _ in 0 }
        for (time, isNew) in [
            ("2026-11-21T23:59:59Z", false), ("2026-11-20T22:17:00Z", false), ("2026-11-21T08:00:00Z", false),
            ("2026-11-10T08:00:00Z", true), ("2026-11-10T09:00:00Z", false), ("2026-11-21T08:00:00Z", true),
        ] {
            let now = try #require(Timestamp(iso8601: time))
            let turned = totals.turn(to: now, faces: 0) { _ in 0 }
            #expect(turned == isNew, "\(time)")
        }
    }

    @Test("count smiles and looks of a visit at once, on the day and in the hour in which they are, and once only")
    func atOnce() throws {
        var totals = DayTotals(since: try #require(Timestamp(iso8601: "2026-11-21T22:50:00Z")))
        var visit = Visit()
        var counted = Visit()
        func count(_ time: String, ended: Bool = false) throws {
            let now = try #require(Timestamp(iso8601: "2026-11-\(time):00Z"))
            _ = totals.turn(to: now, faces: 1) { _ in 0 }
            totals.add(visit, beyond: counted, hasEnded: ended, at: now) { _ in 0 }
            counted = visit
        }
        visit.smiles = 1
        try count("21T22:59")
        #expect((totals.smiles, totals.visits, totals.hours.map(\.hour)) == (1, 0, [22]))
        (visit.smiles, visit.looks) = (3, 1)
        try count("21T23:10")
        try count("21T23:20")
        #expect((totals.smiles, totals.looks, totals.hours.map(\.smiles)) == (3, 1, [1, 2]))
        (visit.smiles, visit.lookingSeconds) = (4, 2.5)
        try count("22T00:01")
        try count("22T00:02", ended: true)
        #expect((totals.smiles, totals.looks, totals.lookingSeconds, totals.visits) == (1, 0, 2.5, 1))
        // What turns out to be a picture of a face is taken back, as far as this day has counted it.
        visit = Visit()
        try count("22T00:03")
        #expect((totals.smiles, totals.lookingSeconds, totals.visits) == (0, 0, 1))
        #expect(totals.hours.map(\.smiles) == [0])
    }

    @Test("add up what subscribers add up from the visits")
    func sums() {
        var totals = DayTotals(since: Timestamp(nanoseconds: 0))
        var visit = Visit()
        (visit.looks, visit.smiles, visit.lookingSeconds) = (2, 1, 0.33349)
        for minute in 0..<1000 {
            let now = Timestamp(nanoseconds: 0).advanced(bySeconds: Double(minute) * 60)
            totals.add(visit, hasEnded: true, at: now) { _ in 0 }
        }
        totals.add(Visit(), hasEnded: true, at: Timestamp(nanoseconds: -1)) { _ in 0 }
        #expect((totals.visits, totals.looks, totals.smiles) == (1001, 2000, 1000))
        #expect(abs(totals.lookingSeconds - 333) < 1e-6)
        #expect(totals.hours.map(\.hour) == Array(0...16) + [23])
        #expect(totals.hours.reduce(0) { $0 + $1.visits } == 1001)
        #expect(abs(totals.hours.reduce(0) { $0 + $1.lookingSeconds } - 333) < 1e-6)
    }
}
