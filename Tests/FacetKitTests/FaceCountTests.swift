import FaceMetadata
import Testing

@testable import FacetKit

@Suite("How many faces are there after an event")
struct FaceCountTests {
    private func events(_ kinds: [FaceEvent.Kind]) -> [FaceEvent] {
        let stamp = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0)
        let bounds = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
        let face = FaceObject(faceID: FaceID(rawValue: 1), bounds: bounds, confidence: 1)
        return kinds.map { FaceEvent(kind: $0, face: face, stamp: stamp) }
    }

    private let leave = FaceEvent.Kind.leave(dwell: 0, lastSeen: Timestamp(nanoseconds: 0), reason: .left)

    @Test("follows the comings and goings of one update")
    func counts() {
        #expect(events([leave, leave]).faceCounts(upTo: 0) == [1, 0])
        #expect(events([.enter, .smile, .enter, leave]).faceCounts(upTo: 2) == [2, 2, 3, 2])
        #expect(events([]).faceCounts(upTo: 5) == [])
        #expect(events([.smile]).faceCounts(upTo: 3) == [3])
    }
}
