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
        try PictureWriter.write(picture.frame(), to: path)
        return path
    }

    @Test("a PNG comes back pixel for pixel")
    func png() throws {
        let frame = try PictureFile.load(write(to: "a.png"))
        #expect(frame.format == .rgb24 && frame.size == picture.size && frame.orientation == .up)
        let bytes = picture.bgra
        for (x, y) in [(0, 0), (159, 0), (3, 60), (80, 61), (159, 119)] {
            let pixel = frame.planes.first.base + y * frame.planes.first.bytesPerRow + x * 3
            let place = (y * picture.size.width + x) * 4
            for (channel, offset) in [(0, 2), (1, 1), (2, 0)] {
                #expect(pixel.load(fromByteOffset: channel, as: UInt8.self) == bytes[place + offset])
            }
        }
    }

    @Test("a JPEG comes as its own planes, full range", arguments: ["a.jpg", "b.JPEG", "with space, 100 %d and :.jpg"])
    func jpeg(name: String) throws {
        let frame = try PictureFile.load(write(to: name))
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
        #expect(try PictureFile.load(path).orientation == orientation)
        #expect(try Recording.of(path).orientations == [orientation])
    }

    @Test("a frame is written upright", arguments: Orientation.allCases, ["png", "jpg"])
    func upright(orientation: Orientation, ending: String) throws {
        var frame = try PictureFile.load(write(to: "a.png"))
        frame.orientation = orientation
        let before = try frame.quarterColours()
        let path = scratch.path("upright." + ending)
        try PictureWriter.write(frame, to: path)
        let written = try PictureFile.load(path)
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
        #expect(try areTheQuarters(PictureFile.load(scratch.path("copy.png")).quarterColours()))
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

    @Test("a still that another program replaces is read again, also where it is half written for a while")
    func replaced() throws {
        let path = try write(to: "a.png")
        let small = TestPicture(size: FrameSize(width: 80, height: 60))
        try PictureWriter.write(small.frame(), to: scratch.path("b.png"))
        let next = try Data(contentsOf: URL(filePath: scratch.path("b.png")))
        let source = try ClipSource(path, options: .init(pace: .asap, loops: true))
        var sizes: Set<FrameSize> = []
        let recording = Recording.of(source) { frame in
            sizes.insert(frame.size)
            if frame.stamp.frame == 10 {
                try? next.prefix(200).write(to: URL(filePath: path))
                try? next.write(to: URL(filePath: path), options: .atomic)
            }
            if frame.size == small.size { source.stop() }
        }
        #expect(recording.isStopped && sizes == [picture.size, small.size])
    }

    @Test("the frame of a clip at or after a time")
    func frameOfClip() throws {
        let path = scratch.path("clip.mp4")
        try TestPicture.writeClip(path, times: [0, 0.5, 1, 1.5])
        for (wanted, index) in [(0, 0), (0.4, 1), (0.5, 1), (1.2, 3)] {
            #expect(try PictureFile.load(path, at: wanted).stamp.frame == index)
        }
        #expect {
            try PictureFile.load(path, at: 5)
        } throws: {
            ($0 as? SourceFailure)?.reason == .noVideo && "\($0)".contains("at 5.0 s: the clip ends before")
        }
    }

    @Test("unknown endings and directories that are not there are named")
    func unwritable() throws {
        func write(_ path: String) throws { try PictureWriter.write(picture.frame(), to: path) }
        #expect(throws: SourceFailure.unknownExtension("a.bmp", known: ["png", "jpg", "jpeg"])) {
            try write("a.bmp")
        }
        let path = scratch.path("nowhere/a.png")
        #expect(throws: SourceFailure.unwritable(path, "No such file or directory")) { try write(path) }
    }

    @Test("a clip whose pixels are not square is widened to what a player shows")
    func anamorphic() throws {
        let picture = TestPicture()
        let shown = FrameSize(width: 320, height: 120)
        let pictures = try (0..<3).map { Matroska.Picture(jpeg: try picture.jpeg(in: scratch), time: UInt64($0) * 40) }
        let path = try scratch.write(Matroska(displaySize: shown, pictures: pictures).data, to: "wide.mkv")
        let frame = try PictureFile.load(path)
        #expect(frame.size == shown)
        #expect(try areTheQuarters(frame.quarterColours()))
        #expect(try ClipSource(path).description?.size == shown)
        var sizes: [FrameSize] = []
        let recording = try Recording.of(path) { sizes.append($0.size) }
        #expect(recording.isFinished && sizes == [shown, shown, shown])
    }

    @Test(
        "the size with square pixels has the same height, if the ratio is credible and the result not too large",
        arguments: [
            (nil, 720, 576), (1, 720, 576), (1.005, 720, 576), (64.0 / 45, 1024, 576), (8.0 / 9, 640, 576),
            (2, 1440, 576), (100, 720, 576), (0.01, 720, 576), (3, 720, 192),
        ] as [(Double?, Int, Int)]
    )
    func squareSizes(aspect: Double?, width: Int, height: Int) {
        let stored = FrameSize(width: 720, height: 576)
        let square = PictureLayout.squareSize(of: stored, aspect: aspect, maximumPixels: 1_000_000)
        #expect(square == FrameSize(width: width, height: height))
    }
}
