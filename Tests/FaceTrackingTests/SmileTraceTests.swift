import FacetTestSupport
import Foundation
import Testing

@Suite("Smiles and talk of the recorded landmarks of 231 clips")
struct SmileTraceTests {
    @Test("finds the smiles of both folders by the plain and by the amended score, and talk is none")
    func score() throws {
        var totals: [String: SmileScore] = [:]
        for set in TraceSet.allCases {
            for (name, truth) in try Trace.labels(of: set) {
                guard let labels = truth as? [String: Any], labels["smiles"] is [String: Any] else { continue }
                let group = labels["set"] as? String == "talk" ? "talk" : set.rawValue
                let trace = try Trace(name, of: set)
                var score = SmileScore()
                score.add(trace, labels)
                if group != "talk" { score.print(of: trace, group) }
                totals[group, default: SmileScore()].add(score)
                // The traces do not tell several people apart: any person's smile counts for the labelled one.
                let people = labels["smiles"] as? [String: Any] ?? [:]
                if people.count > 1 { totals["\(group), several people", default: SmileScore()].add(score) }
            }
        }
        for (group, score) in totals { print("traces: \(group): \(score)") }
        let first = try #require(totals["accuracy"])
        let second = try #require(totals["smiles"])
        #expect((first.plain.labelled, second.plain.labelled) == (91, 97))
        #expect(first.plain.found >= 80 && first.plain.false <= 3)
        #expect(second.plain.found >= 82 && second.plain.false <= 2)
        #expect(first.amended.found >= 82 && first.amended.false <= 3)
        #expect(second.amended.found >= 90 && second.amended.false <= 1)
        // 0.3.0 reported 15.
        #expect(try #require(totals["talk"]).plain.false <= 3)
    }

    @Test("finds smiles that a clip begins within, and nothing more where it begins elsewhere")
    func begun() throws {
        var labelled = 0
        var found = 0
        var wrong = 0
        for set in TraceSet.allCases {
            for (name, truth) in try Trace.labels(of: set) {
                guard let labels = truth as? [String: Any], labels["set"] as? String != "talk",
                    let people = labels["smiles"] as? [String: [String: [[Double]]]]
                else { continue }
                let whole = try Trace(name, of: set)
                let doubtful = people.values.flatMap { $0["ambiguous"] ?? [] }
                let clear = people.values.flatMap { $0["clear"] ?? [] }
                for smile in clear {
                    for share in [0.25, 0.5, 0.75] {
                        let begin = smile[0] + share * (smile[1] - smile[0])
                        let trace = Trace(name: name, sightings: whole.sightings.filter { $0.time >= begin })
                        let seen = trace.sightings.filter { $0.eyeDistance >= 24 && abs($0.yaw) <= 35 }
                        guard smile[1] - begin >= 1, seen.count(where: { $0.time <= smile[1] }) >= 15 else { continue }
                        let smiles = trace.events().filter { $0.name == "smile" }
                        labelled += 1
                        if smiles.contains(where: { begin...smile[1] + 0.5 ~= $0.time }) { found += 1 }
                    }
                }
                // Two seconds from each second on.
                for begin in stride(from: 0, to: whole.sightings.last?.time ?? 0, by: 1) {
                    let part = whole.sightings.filter { begin...begin + 2 ~= $0.time }
                    let smiles = Trace(name: name, sightings: part).events().filter { $0.name == "smile" }
                    wrong += smiles.count { smile in
                        !(clear + doubtful).contains { $0[0] - 0.5...$0[1] + 0.5 ~= smile.time }
                    }
                }
            }
        }
        print("traces: begun within smiles: \(found) of \(labelled) found, begun anywhere: \(wrong) false")
        #expect(found >= 203 && wrong <= 24)
    }
}

/// What is found of labelled smiles, counted in two ways.
///
/// In the plain one a smile is found if its event falls inside the label, with half a second of slack. The amended one
/// also counts a smile during half of which the state is on, heeds where the scored part of a clip begins, and leaves
/// out smiles that are seen for less than 0.2 s.
private struct SmileScore: CustomStringConvertible {
    struct Count {
        var labelled = 0
        var found = 0
        var `false` = 0

        var score: Double { Double(2 * found) / Double(max(1, labelled + found + `false`)) }

        static func += (sum: inout Count, count: Count) {
            sum.labelled += count.labelled
            sum.found += count.found
            sum.false += count.false
        }

        func print(_ figure: String, of trace: Trace) {
            trace.count(figure, of: Double(labelled), right: Double(found), wrong: Double(`false`)).print()
        }
    }

    private(set) var plain = Count()
    private(set) var amended = Count()

    var description: String {
        [("plain", plain), ("amended", amended)]
            .map { "\($0) \($1.found) of \($1.labelled), \($1.false) false (\($1.score))" }.joined(separator: "; ")
    }

    mutating func add(_ other: SmileScore) {
        plain += other.plain
        amended += other.amended
    }

    func print(of trace: Trace, _ folder: String) {
        plain.print("smiles, \(folder), as fitted", of: trace)
        amended.print("smiles, \(folder), as fitted, amended", of: trace)
    }

    mutating func add(_ trace: Trace, _ labels: [String: Any]) {
        let people = labels["smiles"] as? [String: [String: [[Double]]]] ?? [:]
        let scored = labels["smile_scored_s"] as? [Double] ?? [0, .infinity]
        let clear = people.values.flatMap { $0["clear"] ?? [] }.filter { $0[0] <= scored[1] }
        let doubtful = people.values.flatMap { $0["ambiguous"] ?? [] }
        let events = trace.events()
        let begins = events.filter { $0.name == "smile" && $0.time <= scored[1] }
        for smile in clear {
            let isTold = begins.contains { Self.falls($0.time, into: smile) }
            plain.labelled += 1
            if isTold { plain.found += 1 }
            guard let share = trace.share(of: events, in: smile) else { continue }
            amended.labelled += 1
            if isTold || share >= 0.5 { amended.found += 1 }
        }
        let wrong = begins.filter { event in !(clear + doubtful).contains { Self.falls(event.time, into: $0) } }
        plain.false += wrong.count
        amended.false += wrong.count { $0.time >= scored[0] }
    }

    private static func falls(_ time: Double, into label: [Double]) -> Bool { label[0] - 0.5...label[1] + 0.5 ~= time }
}

extension Trace {
    /// The share of a smile's frames that are reported as smiling, of those in which the face is seen well enough; nil
    /// if these last less than 0.2 s.
    fileprivate func share(of events: [Event], in smile: [Double]) -> Double? {
        let spans = events.filter { $0.name == "smile" }.map { begin in
            let end = events.first {
                $0.name == "smile_end" && $0.lineage == begin.lineage && $0.time > begin.time
            }
            return (lineage: begin.lineage, times: begin.time..<(end?.time ?? .infinity))
        }
        let seen = sightings.filter { smile[0]...smile[1] ~= $0.time && $0.eyeDistance >= 24 && abs($0.yaw) <= 35 }
        let frames = Set(seen.map(\.frame))
        let on = seen.filter { seen in
            spans.contains { $0.lineage == seen.lineage && $0.times.contains(seen.time) }
        }
        let times = Set(sightings.map(\.time)).sorted()
        let interval = (times[times.count - 1] - times[0]) / Double(max(1, times.count - 1))
        return Double(frames.count) * interval < 0.2 ? nil : Double(Set(on.map(\.frame)).count) / Double(frames.count)
    }
}
