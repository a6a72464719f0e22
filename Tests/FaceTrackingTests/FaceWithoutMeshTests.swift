import FaceMetadata
import FaceTracking
import Testing

/// Faces that the detector sees and the landmark model cannot measure, and cuts.
@Suite("Faces without a mesh, and cuts")
struct FaceWithoutMeshTests {
    private static func face(_ lineage: Int = 1, yaw: Double? = 10, eyes: Double = 60) -> FaceObservation {
        var face = FaceObservation.sample(lineage: lineage, mouth: .level(1), eyeDistance: eyes)
        face.hasMesh = false
        face.pose = HeadPose(roll: 5, yaw: yaw, pitch: nil)
        return face
    }

    @Test("a face without a mesh enters and leaves as any other, and nothing is told that was not measured")
    func presence() throws {
        var timeline = Timeline()
        let happened = timeline.play("aaaaaa" + String(repeating: "-", count: 24)) { _ in Self.face() }
        #expect(happened == "...E......................L...")
        let face = try #require(timeline.updates[5].faces.first)
        #expect(!face.hasMesh && face.pose?.roll == 5 && face.pose?.yaw == 10 && face.pose?.pitch == nil)
        #expect(face.leftEye != nil && face.mouth != nil)
        #expect(face.smiling == nil && face.leftEyeClosed == nil && face.looking == nil && face.gaze == nil)
    }

    @Test("attention says why such a face has no expression")
    func attention() {
        func attention(_ face: FaceObservation) -> Set<FaceAttention> {
            var timeline = Timeline()
            _ = timeline.play("aaaaa") { _ in face }
            return timeline.updates.last?.attention ?? []
        }
        #expect(attention(Self.face()) == [.notMeasured])
        #expect(attention(Self.face(eyes: 10)) == [.tooSmall])
        #expect(attention(Self.face(yaw: 50)) == [.turnedAway])
        #expect(attention(Self.face(yaw: nil)) == [.turnedAway])
    }

    @Test("a face that turns away and back keeps its identity, and its smile is measured again")
    func turning() {
        var timeline = Timeline()
        _ = timeline.play("aaaaaaaaaa") { _ in .sample() }
        _ = timeline.play("bbbbb") { _ in Self.face(yaw: nil) }
        #expect(timeline.updates.last?.faces.first?.smiling == nil)
        _ = timeline.play("aaaaa") { _ in .sample() }
        #expect(timeline.updates.last?.faces.map(\.faceID.rawValue) == [1])
        #expect(timeline.updates.last?.faces.first?.hasMesh == true)
        #expect(timeline.updates.last?.faces.first?.smiling == false)
    }

    @Test("after a cut a face at the same place is another one, unless its clothes are the same", arguments: [0, 1, 2])
    func cut(clothes: Int) {
        func worn(_ red: Float, _ blue: Float) -> ClothesColors {
            var worn = ClothesColors()
            for shade in 0..<100 { worn.add(red: red + Float(shade) / 5, green: 20, blue: blue) }
            return worn
        }
        var tracker = FaceTracker()
        func advance(_ number: Int, _ lineage: Int, _ clothes: ClothesColors?, isCut: Bool = false) {
            var face = FaceObservation.sample(lineage: lineage)
            face.clothes = clothes
            _ = tracker.advance(to: Timeline.stamp(number, rate: 30), with: [face], isCut: isCut)
        }
        for number in 0..<10 { advance(number, 1, worn(150, 20)) }
        let after = [nil, worn(20, 150), worn(150, 20)][clothes]
        advance(10, 2, after, isCut: true)
        for number in 11..<20 { advance(number, 2, after) }
        #expect(tracker.faces.filter(\.isSeen).map(\.faceID.rawValue) == [clothes == 2 ? 1 : 2])
    }
}
