import CompanionTestSupport
import FaceMetadata
import FaceTracking
import FacetKit
import Foundation
import Testing

@testable import ClipDrawing
@testable import Companion

@Suite("Looking ahead")
struct LookAheadTests {
    private static let rate = 30.0

    private func box(_ x: Double, _ size: Double = 0.2) -> FaceObject {
        var face = face(0)
        face.bounds = NormalizedRect(x: x, y: 0.3, width: size, height: size)
        (face.leftEye, face.rightEye, face.mouth) = (nil, nil, nil)
        return face
    }

    /// All frames of a clip, each with what is to be drawn over it; a face enters with its fourth sighting.
    private func settled(
        frames: Int,
        coversAll: Bool = false,
        cuts: Set<Int> = [0],
        sightings: (Int) -> [FaceSighting]
    ) -> [FaceUpdate] {
        var ahead = LookAhead(patience: 0.7, coversAll: coversAll)
        var seen: [Int: Int] = [:]
        var result: [FaceUpdate] = []
        for frame in 0..<frames {
            let named = sightings(frame).map { sighting -> FaceSighting in
                guard let track = sighting.track else { return sighting }
                var sighting = sighting
                seen[track, default: 0] += 1
                sighting.face.faceID = FaceID(rawValue: seen[track, default: 0] >= 4 ? track : 0)
                return sighting
            }
            var update = FaceUpdate(state: .starting, stamp: stamp(frame))
            update.isCut = cuts.contains(frame)
            update.sightings = named
            result += ahead.add(update)
        }
        result += ahead.finish()
        #expect(result.map(\.stamp?.frame) == Array(0..<frames))
        return result
    }

    @Test("a face is drawn from its first sighting, under the identity that it gets later")
    func first() {
        let result = settled(frames: 60) { $0 >= 10 ? [FaceSighting(track: 3, face: box(0.4))] : [] }
        #expect(result.prefix(10).allSatisfy { $0.faces.isEmpty })
        #expect(result.dropFirst(10).allSatisfy { $0.faces.map(\.faceID.rawValue) == [3] })
    }

    @Test(
        "a gap in a visit is filled on the way from its one end to the other, and nothing hangs after the last sighting"
    )
    func gap() throws {
        let result = settled(frames: 90) { frame in
            (20..<35).contains(frame) || frame >= 60
                ? [] : [FaceSighting(track: 1, face: box(0.2 + 0.005 * Double(frame)))]
        }
        #expect(result[..<60].allSatisfy { $0.faces.count == 1 })
        #expect(result[60...].allSatisfy { $0.faces.isEmpty })
        let middle = try #require(result[27].faces.first)
        #expect(abs(middle.bounds.x - 0.335) < 0.002 && middle.isSeen)
    }

    @Test("nothing is drawn after a cut, or before it", arguments: [false, true])
    func cut(coversAll: Bool) {
        let result = settled(frames: 60, coversAll: coversAll, cuts: [0, 30]) { frame in
            frame < 30
                ? [FaceSighting(track: 1, face: box(0.1))]
                : frame >= 33 ? [FaceSighting(track: 2, face: box(0.7))] : []
        }
        #expect(result[..<30].allSatisfy { $0.faces.map(\.faceID.rawValue) == [1] })
        #expect(result[30...].allSatisfy { !$0.faces.contains { $0.faceID.rawValue == 1 } })
        #expect(result[..<30].allSatisfy { !$0.faces.contains { $0.faceID.rawValue == 2 } })
    }

    @Test("a moving face is drawn where it is, and a still one does not tremble")
    func smoothing() throws {
        let moving = settled(frames: 60) { [FaceSighting(track: 1, face: box(0.1 + 0.01 * Double($0)))] }
        for frame in 5..<55 {
            #expect(abs(try #require(moving[frame].faces.first).bounds.x - (0.1 + 0.01 * Double(frame))) < 1e-6)
        }
        var random = SystemRandomNumberGenerator()
        let noise = (0..<90).map { _ in Double.random(in: -0.001...0.001, using: &random) }
        let still = settled(frames: 90) { [FaceSighting(track: 1, face: box(0.4 + noise[$0]))] }
        func roughness(_ values: [Double]) -> Double {
            zip(values, values.dropFirst()).map { ($1 - $0) * ($1 - $0) }.reduce(0, +)
        }
        let drawn = still.compactMap { $0.faces.first?.bounds.x }
        #expect(roughness(drawn) < 0.1 * roughness(noise))
        // A jump is no trembling: it is not drawn as a slide.
        let jump = settled(frames: 60) { [FaceSighting(track: 1, face: box($0 < 30 ? 0.2 : 0.35))] }
        #expect(abs(try #require(jump[29].faces.first).bounds.x - 0.2) < 0.01)
        #expect(abs(try #require(jump[30].faces.first).bounds.x - 0.35) < 0.01)
    }

    @Test("an angle that goes round is not turned back through the picture")
    func angles() throws {
        let result = settled(frames: 40) { frame in
            var face = box(0.4)
            let roll = 170.0 + Double(frame)
            face.pose = HeadPose(roll: roll > 180 ? roll - 360 : roll, yaw: 0, pitch: 0)
            return frame % 5 == 3 ? [] : [FaceSighting(track: 1, face: face)]
        }
        for (frame, settled) in result.enumerated() {
            let roll = try #require(settled.faces.first?.pose?.roll)
            let apart = abs(roll - (170 + Double(frame))).truncatingRemainder(dividingBy: 360)
            #expect(min(apart, 360 - apart) < 1)
        }
    }

    @Test("an overlay that hides faces covers all that was taken for one, and for a moment before and after")
    func coversAll() {
        let seen = 30..<33
        let sightings = { (frame: Int) -> [FaceSighting] in
            var all: [FaceSighting] = []
            // Three frames, too few to enter; and what only the detector believes in.
            if seen.contains(frame) { all.append(FaceSighting(track: 1, face: box(0.1))) }
            if frame == 31 { all.append(FaceSighting(track: nil, face: box(0.6))) }
            return all
        }
        #expect(settled(frames: 60, sightings: sightings).allSatisfy { $0.faces.isEmpty })
        let covered = settled(frames: 60, coversAll: true, sightings: sightings)
        func isCovered(_ frame: Int, _ x: Double) -> Bool {
            covered[frame].faces.contains { $0.bounds.x < x && $0.bounds.x + $0.bounds.width > x }
        }
        for frame in 10..<53 { #expect(isCovered(frame, 0.2), "\(frame)") }
        for frame in 29..<34 { #expect(isCovered(frame, 0.7), "\(frame)") }
        #expect(covered[8].faces.isEmpty && covered[54].faces.isEmpty)
        // At the border a face comes in and goes out; inside the picture it was there before.
        let leaving = settled(frames: 60, coversAll: true) { frame in
            seen.contains(frame) ? [FaceSighting(track: 1, face: box(0.01))] : []
        }
        #expect(leaving[22].faces.count == 1 && leaving[20].faces.isEmpty && leaving[42].faces.isEmpty)
        let identities = covered[31].faces.map(\.faceID)
        #expect(Set(identities).count == identities.count)
    }

    @Test("no more frames wait than are allowed, however long the clip is and whatever its rate")
    func bound() {
        var ahead = LookAhead(patience: 0.7, coversAll: true)
        ahead.maximumFrames = 8
        var out = 0
        for frame in 0..<600 {
            let stamp = FrameStamp(frame: frame, time: stamp(0).time, mediaTime: Double(frame) / 1000)
            var update = FaceUpdate(state: .starting, stamp: stamp)
            update.sightings = [FaceSighting(track: 1 + frame / 100, face: box(0.4))]
            out += ahead.add(update).count
            #expect(frame + 1 - out <= 8)
        }
        #expect(out + ahead.finish().count == 600)
    }
}
