import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("Clip writer")
struct ClipWriterTests {
    let scratch: Scratch
    let size = FrameSize(width: 160, height: 120)

    init() throws { scratch = try Scratch() }

    @Test("the file appears only when it is finished, and nothing stays of one that is not")
    func onlyWhole() throws {
        let path = scratch.path("clip.mp4")
        do {
            let writer = try ClipWriter(path, size: size)
            try writer.append(TestPicture().frame(at: 3))
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        #expect(try scratch.files.isEmpty)
        try TestPicture.writeClip(path)
        #expect(try scratch.files == ["clip.mp4"])
    }

    @Test("the sound of a clip is copied unchanged, and named where the format cannot hold it")
    func sound() throws {
        try TestPicture.writeClip(scratch.path("silent.mov"))
        let source = try SoundFile.write(to: scratch.path("tone.mov"), withPicturesOf: scratch.path("silent.mov"))
        for (name, omitted) in [("copy.mov", []), ("copy.mkv", []), ("copy.webm", ["pcm_s16le"])] {
            let writer = try ClipWriter(scratch.path(name), size: size, soundSource: source)
            try writer.append(TestPicture().frame(at: 0))
            #expect(writer.omittedSound == omitted)
            try writer.finish()
            #expect(try SoundFile.bytes(of: scratch.path(name)) == (omitted.isEmpty ? SoundFile.tone : []))
        }
    }

    @Test("the sound of joined transport streams, whose times begin anew, goes on where it was")
    func joinedSound() throws {
        try TestPicture.writeClip(scratch.path("silent.mov"))
        let part = try SoundFile.write(to: scratch.path("part.ts"), withPicturesOf: scratch.path("silent.mov"))
        let bytes = try Data(contentsOf: URL(filePath: part))
        let joined = try scratch.write(bytes + bytes, to: "joined.ts")
        let writer = try ClipWriter(scratch.path("copy.mp4"), size: size, soundSource: joined)
        for step in 0..<60 { try writer.append(TestPicture(step: step).frame(at: Double(step) / 30)) }
        try writer.finish()
        // In MP4 the packets have no header of their own.
        let packets = try SoundFile.bytes(of: scratch.path("copy.mp4")).count / (SoundFile.silence.count - 7)
        #expect(packets == 88, "\(packets)")
    }

    @Test("sound with times that no clip has ends there")
    func wildSound() throws {
        let jpeg = try TestPicture().jpeg(in: scratch)
        var source = Matroska()
        (source.hasSound, source.tick) = (true, 1_000_000_000)
        // Back and forth: what joined recordings are later by would add up.
        source.pictures = (0..<8).map { .init(jpeg: jpeg, time: $0.isMultiple(of: 2) ? 0 : 1 << 62) }
        let path = try scratch.write(source.data, to: "wild.mkv")
        let writer = try ClipWriter(scratch.path("copy.mkv"), size: size, soundSource: path)
        for step in 0..<3 { try writer.append(TestPicture(step: step).frame(at: Double(step) / 30)) }
        try writer.finish()
        #expect(try SoundFile.bytes(of: scratch.path("copy.mkv")) == [1, 2, 3, 4])
    }

    @Test("a clip without frames is an error and leaves nothing")
    func withoutFrames() throws {
        let writer = try ClipWriter(scratch.path("clip.mp4"), size: size)
        #expect(throws: SourceFailure.self) { try writer.finish() }
        #expect(throws: SourceFailure.writerClosed(scratch.path("clip.mp4"))) { try writer.finish() }
        #expect(try scratch.files.isEmpty)
    }

    @Test("a frame of another size is refused, and writing goes on")
    func otherSize() throws {
        let path = scratch.path("clip.mp4")
        let small = try TestPicture(size: FrameSize(width: 80, height: 60)).frame()
        let writer = try ClipWriter(path, size: size)
        #expect(throws: SourceFailure.unencodable(path, "the clip is 160x120 and the picture 80x60")) {
            try writer.append(small)
        }
        try writer.append(TestPicture().frame(at: 0))
        try writer.finish()
        #expect(try Recording.of(path).stamps.count == 1)
    }

    @Test("frames that point into a decoder's memory are written upright, odd sizes less a row")
    func fromClip() throws {
        let source = scratch.path("source.png")
        let picture = TestPicture(size: FrameSize(width: 161, height: 121))
        try PictureWriter.write(picture.frame(), to: source)
        var frame = try PictureFile.load(source)
        frame.orientation = .right
        let path = scratch.path("turned.mp4")
        let writer = try ClipWriter(path, size: frame.uprightSize)
        try writer.append(frame)
        try writer.finish()
        let written = try PictureFile.load(path)
        #expect(written.size == FrameSize(width: 120, height: 160))
        let wanted = try frame.quarterColours()
        #expect(try zip(written.quarterColours(), wanted).allSatisfy { $0.isNear($1, tolerance: 14) })
    }

    @Test("times that do not grow are moved on, none is lost")
    func equalTimes() throws {
        let path = scratch.path("clip.mp4")
        try TestPicture.writeClip(path, times: [1, 1, 0.5, 2])
        let recording = try Recording.of(path)
        #expect(recording.stamps.count == 4 && recording.isFinished)
        #expect(abs((recording.mediaTimes.last ?? 0) - 1) < 0.001)
    }

    @Test("unknown endings, missing directories and impossible sizes are named")
    func refused() {
        #expect(throws: SourceFailure.unknownExtension("a.txt", known: ClipWriter.knownEndings)) {
            try ClipWriter("a.txt", size: size)
        }
        let nowhere = scratch.path("nowhere/a.mp4")
        #expect(throws: SourceFailure.unwritable(nowhere, "No such file or directory")) {
            try ClipWriter(nowhere, size: size)
        }
        #expect(throws: SourceFailure.self) {
            try ClipWriter(scratch.path("a.mp4"), size: FrameSize(width: 1, height: 9))
        }
        #expect(throws: SourceFailure.self) { try ClipWriter(scratch.path("a.mp4"), size: size, rate: .nan) }
    }
}
