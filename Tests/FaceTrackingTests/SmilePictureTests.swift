import FaceMetadata
import FacetTestSupport
import OverlayRendering
import Testing

@Suite("Pictures of the smiles of 227 clips")
struct SmilePictureTests {
    /// Whether it shows a smile, and both eyes as far open as they are in a wide one at least, whose cheeks lift the
    /// lower lids.
    ///
    /// After a cut to a face that does not smile, as in ghost/dirtydancing, `smiling` stays on for three frames.
    private static func isGood(_ face: FaceObject) -> Bool {
        face.smile ?? 0 >= SmileSettings().endLevel
            && [face.leftEyeClosed, face.rightEyeClosed].allSatisfy { $0 == false }
            && [face.leftEyeOpen, face.rightEyeOpen].allSatisfy { $0 ?? 0 >= 0.6 }
    }

    @Test(
        "have open eyes if any frame of the smile has, of its first half second and all",
        arguments: [0.5, .infinity]
    )
    func openEyes(seconds: Double) throws {
        var smiles = 0
        var possible = 0
        var first = 0
        var chosen = 0
        for set in TraceSet.allCases {
            for (name, truth) in try Trace.labels(of: set) {
                guard let labels = truth as? [String: Any], labels["set"] as? String != "talk",
                    let people = labels["smiles"] as? [String: [String: [[Double]]]]
                else { continue }
                let clear = people.values.flatMap { $0["clear"] ?? [] }
                var seen: [(lineage: Int, time: Double, face: FaceObject)] = []
                let events = try Trace(name, of: set).events { seen.append(($0.lineage, $0.time, $1.face)) }
                for smile in events where smile.name == "smile" {
                    guard clear.contains(where: { $0[0] - 0.5...$0[1] + 0.5 ~= smile.time }) else {
                        continue
                    }
                    let end = events.first {
                        $0.name == "smile_end" && $0.lineage == smile.lineage && $0.time > smile.time
                    }
                    let last = min(end?.time ?? .infinity, smile.time + seconds)
                    let faces = seen.filter { $0.lineage == smile.lineage && smile.time...last ~= $0.time }.map(\.face)
                    smiles += 1
                    guard faces.contains(where: Self.isGood) else { continue }
                    possible += 1
                    if Self.isGood(faces[0]) { first += 1 }
                    let best = faces.bestSmiles { $0 }
                    // The sharpest of them is taken, whichever it is.
                    if best.allSatisfy(Self.isGood) {
                        chosen += 1
                    } else {
                        print("pictures: \(name) at \(smile.time)")
                    }
                }
            }
        }
        print(
            "pictures: \(smiles) smiles of \(seconds) s, \(possible) with open eyes, first \(first), chosen \(chosen)"
        )
        #expect(smiles > 150 && possible > 150 && chosen == possible)
    }
}
