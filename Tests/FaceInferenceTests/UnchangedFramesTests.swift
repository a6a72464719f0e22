import FaceMetadata
import FacetTestSupport
import Frames
import Testing

@testable import FaceInference

/// The analyzer with frames in which little or nothing changes, against itself with every frame computed.
@Suite("Unchanged frames")
struct UnchangedFramesTests {
    private func analyzer(skips: Bool) throws -> FaceAnalyzer {
        var options = FaceAnalyzer.Options()
        options.skipsUnchanged = skips
        return try FaceAnalyzer(options)
    }

    /// Three seconds in which a face slides into a room whose light flickers.
    private func scene() throws -> RoomScene {
        let portrait = try Portrait.astronaut.frame()
        let face = try #require(try analyzer(skips: false).analyze(portrait).observations.first?.bounds)
        var options = RoomScene.Options()
        options.size = FrameSize(width: 320, height: 240)
        options.noise = 5
        options.flicker = 0.05
        options.faceAt = 1.05
        options.faceSpeed = 0.8
        return RoomScene(options, portrait: portrait, face: face)
    }

    @Test("finds a face that comes in within 0.3 s of the frame in which every search would, with few searches before")
    func enter() throws {
        let scene = try scene()
        var found: [Bool: Int] = [:]
        for skips in [true, false] {
            let analyzer = try analyzer(skips: skips)
            var searches = 0
            for number in 0..<75 {
                let analysis = try analyzer.analyze(scene.frame(number))
                if number < 30, analysis.ranDetector { searches += 1 }
                if found[skips] == nil, !analysis.observations.isEmpty { found[skips] = number }
                #expect((analysis.luminance ?? 0) > 0.2 && (analysis.luminance ?? 1) < 0.8)
            }
            #expect(searches == (skips ? 1 : 30))
        }
        let skipping = try #require(found[true])
        let always = try #require(found[false])
        #expect(skipping - always <= 9)
    }

    @Test("says from a small gray picture that nothing has changed, and asks for the whole one when something has")
    func glance() throws {
        let scene = try scene()
        let analyzer = try analyzer(skips: true)
        _ = try analyzer.analyze(scene.frame(0))
        #expect(analyzer.glanceScale(for: FrameSize(width: 640, height: 480)) == 8)
        #expect(analyzer.glanceScale(for: FrameSize(width: 320, height: 240)) == 4)
        #expect(analyzer.glance(at: scene.frame(1))?.ranDetector == false)
        // The face is in the picture.
        let changed = scene.frame(70)
        #expect(analyzer.glance(at: changed) == nil)
        #expect(try analyzer.analyze(changed).observations.count == 1)
        // Now it is followed, and every frame counts.
        #expect(analyzer.glanceScale(for: changed.size) == nil)
        #expect(analyzer.glance(at: scene.frame(71)) == nil)
    }

    @Test("follows a still face with the model in every tenth frame, and gives the same numbers")
    func still() throws {
        let portrait = try Portrait.astronaut.frame()
        let skipping = try analyzer(skips: true)
        let always = try analyzer(skips: false)
        for number in 0..<40 {
            var frame = portrait
            frame.stamp.frame = number
            frame.stamp.mediaTime = Double(number) / 30
            let reused = try #require(try skipping.analyze(frame).observations.first)
            let computed = try #require(try always.analyze(frame).observations.first)
            // The deadband of what is published.
            #expect(abs((reused.pose.yaw ?? .nan) - (computed.pose.yaw ?? .nan)) < 2)
            #expect(abs((reused.pose.pitch ?? .nan) - (computed.pose.pitch ?? .nan)) < 2)
            #expect(abs(reused.bounds.x - computed.bounds.x) < 0.005)
            #expect(abs(reused.mouth.y - computed.mouth.y) < 0.005)
            #expect(reused.lineage == 1)
        }
    }

    @Test("computes the landmarks of a face that needs every frame, however still it is, and not of another one")
    func everyFrame() throws {
        let portrait = try Portrait.astronaut.frame()
        let analyzer = try analyzer(skips: true)
        func runs(_ frames: Range<Int>) throws -> Int {
            let before = analyzer.landmarkModel.runs
            for number in frames {
                var frame = portrait
                frame.stamp.frame = number
                frame.stamp.mediaTime = Double(number) / 30
                _ = try analyzer.analyze(frame)
            }
            return analyzer.landmarkModel.runs - before
        }
        #expect(try runs(0..<21) < 10)
        analyzer.needingEveryFrame = [1]
        #expect(try runs(21..<36) >= 15)
        analyzer.needingEveryFrame = [2]
        #expect(try runs(36..<56) < 10)
    }

    @Test("searches beside a still face every three seconds, and at once when something beside it changes")
    func besideFace() throws {
        let analyzer = try analyzer(skips: true)
        // The portrait takes the upper left two thirds; what is right of it continues its edge.
        let transform = AffineTransform(a: 1.5, b: 0, c: 0, d: 1.5, tx: 0, ty: 0)
        let still = try Portrait.astronaut.frame().resampled(side: 480, through: transform)
        let changed = try Portrait.astronaut.frame().resampled(side: 480, through: transform)
        let pixels = UnsafeMutableRawPointer(mutating: changed.planes.first.base).assumingMemoryBound(to: UInt8.self)
        for row in 30..<90 {
            for byte in 3 * 400..<3 * 460 { pixels[1440 * row + byte] &+= 128 }
        }
        var searches: [Int] = []
        for number in 0..<75 {
            var frame = number < 64 ? still : changed
            frame.stamp.frame = number
            frame.stamp.mediaTime = Double(number) / 30
            let analysis = try analyzer.analyze(frame)
            #expect(analysis.observations.count == 1)
            if analysis.ranDetector { searches.append(number) }
        }
        // The second search is the first one beside the face, and the first to compare with; the change at frame 64 is
        // seen within a tenth of a second, and searched twice.
        #expect(searches == [0, 5, 64, 69], "\(searches)")
    }
}
