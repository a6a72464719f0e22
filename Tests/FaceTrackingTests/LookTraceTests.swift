import FacetTestSupport
import Foundation
import Testing

@testable import FaceTracking

/// `../shared/look`: when the faces of recorded clips look into the lens, and when clearly elsewhere.
@Suite("Looks on recorded landmarks")
struct LookTraceTests {
    private struct Labels: Decodable {
        struct Face: Decodable {
            var atCamera: [[Double]]
            var away: [[Double]]
        }
        var looking: [String: Face]
        var lessSure: Bool?
    }

    /// Seconds of a label, and in how many of them the state is unknown, and right.
    private struct Seconds: CustomStringConvertible {
        var all = 0.0, unknown = 0.0, right = 0.0
        var share: Double { right / max(all - unknown, 0.001) }
        var description: String { String(format: "%.0f %% of %.1f s", share * 100, all - unknown) }
    }

    private func labels() throws -> [String: Labels] {
        let set = TraceSet.accuracy
        let data = try set.isHere ? Data(contentsOf: PackedTraces.looks) : PackedTraces.read("looks", of: set)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode([String: Labels].self, from: data)
    }

    @Test("`looking` is right in nine tenths of the labelled seconds, at the camera and away")
    func labelled() throws {
        typealias Pair = (at: Seconds, away: Seconds)
        var near: Pair = (.init(), .init())
        var far: Pair = (.init(), .init())
        for (name, clip) in try labels().sorted(by: { $0.key < $1.key }) {
            let trace = try Trace(name)
            var own: Pair = (.init(), .init())
            let before = (near.at, near.away, far.away)
            for (letter, face) in clip.looking {
                // The faces are lettered in the order in which they come.
                let lineage = letter == "A" ? 1 : 2
                let sightings = trace.sightings.filter { $0.lineage == lineage }
                let interval = (sightings.last!.time - sightings[0].time) / Double(sightings.count - 1)
                _ = trace.events { seen, state in
                    guard seen.lineage == lineage else { return }
                    func count(
                        _ spans: [[Double]],
                        _ isAt: Bool,
                        _ seconds: WritableKeyPath<Pair, Seconds>
                    ) {
                        guard spans.contains(where: { $0[0] <= seen.time && seen.time < $0[1] }) else { return }
                        func add(to sum: inout Seconds) {
                            sum.all += interval
                            if state.isLooking == nil { sum.unknown += interval }
                            if state.isLooking == isAt { sum.right += interval }
                        }
                        add(to: &own[keyPath: seconds])
                        guard clip.lessSure != true else { return }
                        if seen.eyeDistance >= 60 {
                            add(to: &near[keyPath: seconds])
                        } else {
                            add(to: &far[keyPath: seconds])
                        }
                    }
                    count(face.atCamera, true, \.at)
                    count(face.away, false, \.away)
                }
            }
            print(
                "looks: \(name): at the camera \(own.at), away \(own.away)\(clip.lessSure == true ? " (less sure)" : "")"
            )
            for (kind, now, before) in [
                ("at the camera, eyes from 60 px apart", near.at, before.0),
                ("away, eyes from 60 px apart", near.away, before.1),
                ("away, eyes below 60 px apart", far.away, before.2),
            ] where now.all > before.all {
                ClipCount(
                    "seconds of looks \(kind)",
                    in: name,
                    of: now.all - now.unknown - before.all + before.unknown,
                    right: now.right - before.right
                ).print()
            }
        }
        print("looks: from 60 px at the camera \(near.at), away \(near.away); below \(far.at), \(far.away)")
        #expect((near.at.share + near.away.share) / 2 >= 0.9)
        #expect(far.away.share >= 0.82)
        let unknown = near.at.unknown + near.away.unknown + far.at.unknown + far.away.unknown
        #expect(unknown <= (near.at.all + near.away.all + far.at.all + far.away.all) / 3)
    }

    @Test("a head that has been turned by 25° and more for a second does not look, whoever it is")
    func turned() throws {
        var turns = 0
        for name in try Trace.labels().keys.sorted() {
            let trace = try Trace(name)
            var since: [Int: Double] = [:]
            var last: [Int: Double] = [:]
            _ = trace.events { seen, state in
                defer { last[seen.lineage] = seen.time }
                guard abs(seen.yaw) >= 25, seen.eyeDistance >= 24, seen.time - last[seen.lineage, default: -1] < 0.3
                else {
                    since[seen.lineage] = nil
                    return
                }
                since[seen.lineage] = since[seen.lineage] ?? seen.time
                guard seen.time - since[seen.lineage]! >= 1 else { return }
                turns += 1
                #expect(state.isLooking != true, "\(name) at \(seen.time) s")
            }
        }
        #expect(turns >= 200)
    }

    @Test("ten minutes of somebody at a laptop beside the camera make no look")
    func reading() throws {
        var trace = try Trace("opencv_laugh/laugh.mp4")
        trace.sightings.removeAll { $0.lineage != 1 || $0.time >= 11.5 }
        #expect(trace.played(for: 600).events().allSatisfy { $0.name != "look" })
    }
}
