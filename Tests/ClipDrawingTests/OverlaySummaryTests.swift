import CompanionTestSupport
import FaceMetadata
import FaceTracking
import FacetKit
import Testing

@testable import ClipDrawing

@Suite("What apply says of a file")
struct OverlaySummaryTests {
    /// Warnings after frames, 30 a second, with a face of a tenth of the picture at each of these places.
    private func warnings(of frames: [[Double]], hidesFaces: Bool = true, cut: Int? = nil) -> [String] {
        var summary = OverlaySummary(hidesFaces: hidesFaces, maximumFaces: 8)
        for (index, places) in frames.enumerated() {
            var update = FaceUpdate(state: .starting, stamp: stamp(index))
            update.isCut = index == cut
            update.sightings = places.map { place in
                var face = face(0)
                face.bounds = NormalizedRect(x: place, y: 0.3, width: 0.1, height: 0.1)
                return FaceSighting(track: nil, face: face)
            }
            summary.add(update)
        }
        return summary.warnings
    }

    @Test("counts what was hidden, and says so where nothing was found")
    func sentences() {
        func sentence(_ found: [Int], hiding hidden: [Int], hidesFaces: Bool = true) -> String {
            func faces(_ ids: [Int]) -> [FaceObject] { ids.map { face($0) } }
            var summary = OverlaySummary(hidesFaces: hidesFaces, maximumFaces: 8)
            summary.showsPicture(with: faces(found), hiding: faces(hidden))
            return summary.sentence
        }
        #expect(sentence([], hiding: []) == "0 faces, 0 smiles, 1 frame; found no face to hide")
        #expect(sentence([], hiding: [-4]) == "0 faces, 0 smiles, 1 frame; hid 1 place that may be a face")
        let both = "2 faces, 2 smiles, 1 frame; hid 2 of 2 and hid 2 places that may be faces"
        #expect(sentence([1, 2], hiding: [1, 2, -4, -5]) == both)
        #expect(sentence([1], hiding: [1]) == "1 face, 1 smile, 1 frame; hid 1 of 1")
        #expect(sentence([], hiding: [], hidesFaces: false) == "0 faces, 0 smiles, 1 frame")
    }

    @Test(
        "names the frames in which a face that jumps was not found, also beside another",
        arguments: [[[0.1], [0.4], [], [0.1], [0.4]], [[0.1], [0.4, 0.8], [0.8], [0.1, 0.8]]]
    )
    func jumps(frames: [[Double]]) {
        let words = "not found in single frames: a face that jumps, at 0.1 s; it may be bare there"
        #expect(warnings(of: frames) == [words])
        #expect(warnings(of: frames, hidesFaces: false).isEmpty)
        #expect(warnings(of: frames, cut: 2).isEmpty)
    }

    @Test(
        "does not warn of faces that are found everywhere, that stay where they are, that come or go",
        arguments: [
            [[0.1], [0.4], [0.7], [0.1]], [[0.4], [], [0.41]], [[], [], [0.4]], [[0.4], [], []],
            [[0.1], [0.1, 0.5], [0.5]],
        ]
    )
    func others(frames: [[Double]]) {
        #expect(warnings(of: frames).isEmpty)
    }
}
