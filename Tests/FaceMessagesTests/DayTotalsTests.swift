import FaceMetadata
import Foundation
import Testing

@testable import FaceMessages

@Suite("Today's totals")
struct DayTotalsTests {
    /// Totals in a time zone, told the time every minute as the daemon is more often.
    private struct Clock {
        let zone: TimeZone
        var totals: DayTotals
        /// When days began, by local time.
        var turns: [String] = []

        init(_ zone: String, from start: String) throws {
            self.zone = try #require(TimeZone(identifier: zone))
            totals = DayTotals(since: try #require(Timestamp(iso8601: start)))
        }

        mutating func run(to end: String, every minutes: Double = 1) throws {
            let end = try #require(Timestamp(iso8601: end))
            var now = totals.since
            while now < end {
                now = now.advanced(bySeconds: minutes * 60)
                totals.add(Visit())
                let offset = { [zone] (time: Timestamp) in
                    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.nanoseconds) / 1e9))
                }
                guard totals.turn(to: now, faces: 2, offset: offset) else { continue }
                #expect((totals.visits, totals.mostFaces, totals.since) == (0, 2, now))
                let local = now.advanced(bySeconds: Double(offset(now)))
                turns.append(String(local.iso8601.prefix(16)))
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
        "stay when the clock is a day behind, as at the start of a machine without one, and begin anew if it was wrong"
    )
    func clockBehind() throws {
        var totals = DayTotals(since: try #require(Timestamp(iso8601: "2026-11-21T00:00:05Z")))
        totals.add(nil)
        for (time, isNew) in [
            ("2026-11-21T23:59:59Z", false), ("2026-11-20T22:17:00Z", false), ("2026-11-21T08:00:00Z", false),
            ("2026-11-10T08:00:00Z", true), ("2026-11-10T09:00:00Z", false), ("2026-11-21T08:00:00Z", true),
        ] {
            let now = try #require(Timestamp(iso8601: time))
            let turned = totals.turn(to: now, faces: 0) { _ in 0 }
            #expect(turned == isNew, "\(time)")
        }
    }

    @Test("add up what subscribers add up from the visits")
    func sums() {
        var totals = DayTotals(since: Timestamp(nanoseconds: 0))
        var visit = Visit()
        (visit.looks, visit.smiles, visit.lookingSeconds) = (2, 1, 0.33349)
        for _ in 1...1000 { totals.add(visit) }
        totals.add(nil)
        #expect((totals.visits, totals.looks, totals.smiles) == (1001, 2000, 1000))
        #expect(abs(totals.lookingSeconds - 333) < 1e-6)
    }
}
