import FaceMetadata
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("Pictures")
struct PictureTests {
    let scratch: Scratch
    let picture = TestPicture()

    init() throws { scratch = try Scratch() }

    private func write(to name: String) throws -> String {
        let path = scratch.path(name)
        try PictureWriter.write(
            pixels: picture.bgra,
            bytesPerRow: picture.size.width * 4,
            size: picture.size,
            to: path
        )
        return path
    }

    @Test("a PNG comes back pixel for pixel")
    func png() throws {
        let frame = try StillPicture.load(write(to: "a.png"))
        #expect(frame.format == .rgb24 && frame.size == picture.size && frame.orientation == .up)
        let bytes = picture.bgra
        for (x, y) in [(0, 0), (159, 0), (3, 60), (80, 61), (159, 119)] {
            let pixel = frame.planes.0.base + y * frame.planes.0.bytesPerRow + x * 3
            let place = (y * picture.size.width + x) * 4
            for (channel, offset) in [(0, 2), (1, 1), (2, 0)] {
                #expect(pixel.load(fromByteOffset: channel, as: UInt8.self) == bytes[place + offset])
            }
        }
    }

    @Test("a JPEG comes as its own planes, full range", arguments: ["a.jpg", "b.JPEG", "with space, 100 %d and :.jpg"])
    func jpeg(name: String) throws {
        let frame = try StillPicture.load(write(to: name))
        #expect(frame.format == .planarYUV(chromaShiftX: 0, chromaShiftY: 0))
        #expect(frame.encoding == .jpeg)
        #expect(try areTheQuarters(frame.quarterColours()))
        #expect(try scratch.files == [name])
    }

    @Test("EXIF's orientation is in the frame", arguments: Orientation.allCases)
    func exif(orientation: Orientation) throws {
        let plain = try Data(contentsOf: URL(filePath: write(to: "plain.jpg")))
        // One directory with one entry: tag 0x0112, a short.
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0,
            0, 0,
            0, 0,
        ]
        let body = Array("Exif".utf8) + [0, 0] + tiff
        let segment: [UInt8] = [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body
        let path = try scratch.write(plain.prefix(2) + segment + plain.dropFirst(2), to: "turned.jpg")
        #expect(try StillPicture.load(path).orientation == orientation)
        #expect(try Recording.of(path).orientations == [orientation])
    }

    @Test("a frame is written upright", arguments: Orientation.allCases, ["png", "jpg"])
    func upright(orientation: Orientation, ending: String) throws {
        var frame = try StillPicture.load(write(to: "a.png"))
        frame.orientation = orientation
        let before = try frame.quarterColours()
        let path = scratch.path("upright." + ending)
        try PictureWriter.write(frame, to: path)
        let written = try StillPicture.load(path)
        #expect(written.orientation == .up && written.size == frame.uprightSize)
        #expect(try zip(written.quarterColours(), before).allSatisfy { $0.isNear($1) })
        // The top left of the upright picture is where the orientation says.
        let corner = orientation.storedFromUpright(stored: frame.size)(0, 0)
        let quarter = (corner.x > 0 ? 1 : 0) + (corner.y > 0 ? 2 : 0)
        #expect(before[0].isNear(TestPicture.quarters[quarter]))
    }

    @Test("a JPEG frame is decoded where it must be, and copied where it need not")
    func jpegFrame() throws {
        let path = try write(to: "a.jpg")
        let data = try Data(contentsOf: URL(filePath: path))
        try data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let frame = Frame(
                borrowing: .init(base: base, bytesPerRow: bytes.count),
                size: picture.size,
                format: .jpeg,
                mediaTime: 0
            )
            try PictureWriter.write(frame, to: scratch.path("copy.jpg"))
            try PictureWriter.write(frame, to: scratch.path("copy.png"))
        }
        #expect(try Data(contentsOf: URL(filePath: scratch.path("copy.jpg"))) == data)
        #expect(try areTheQuarters(StillPicture.load(scratch.path("copy.png")).quarterColours()))
    }

    @Test("a still comes thirty times from the same memory, or until it is stopped")
    func repeated() throws {
        let path = try write(to: "a.png")
        let once = try Recording.of(path)
        #expect(once.isFinished && once.stamps.count == 30 && once.memories.count == 1)
        for (index, time) in once.mediaTimes.enumerated() { #expect(abs(time - Double(index) / 30) < 1e-6) }
        let source = try ClipSource(path, options: .init(pace: .asap, loops: true))
        let forever = Recording.of(source) { if $0.stamp.frame == 99 { source.stop() } }
        #expect(forever.isStopped && forever.stamps.count >= 100 && forever.memories.count == 1)
    }

    @Test("the frame of a clip at or after a time")
    func frameOfClip() throws {
        let path = scratch.path("clip.mp4")
        try TestPicture.writeClip(path, times: [0, 0.5, 1, 1.5])
        for (wanted, index) in [(0, 0), (0.4, 1), (0.5, 1), (1.2, 3)] {
            #expect(try StillPicture.load(path, at: wanted).stamp.frame == index)
        }
        #expect(throws: MediaError.noPicture(name: path, mediaTime: 5)) { try StillPicture.load(path, at: 5) }
    }

    @Test("unknown endings and directories that are not there are named")
    func unwritable() throws {
        let bytes = picture.bgra
        func write(_ path: String) throws {
            try PictureWriter.write(pixels: bytes, bytesPerRow: picture.size.width * 4, size: picture.size, to: path)
        }
        #expect(throws: MediaError.unknownExtension(path: "a.bmp", known: ["png", "jpg", "jpeg"])) {
            try write("a.bmp")
        }
        let path = scratch.path("nowhere/a.png")
        #expect(throws: MediaError.unwritable(path: path, reason: "No such file or directory")) { try write(path) }
    }
}
