import FaceMetadata
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("Damaged and wrong files")
struct DamagedFileTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        "a clip whose end is missing delivers what is there and fails",
        arguments: ["mp4", "mov", "mkv", "webm", "avi"],
        [0.5, 0.9]
    )
    func cutOff(ending: String, share: Double) throws {
        let whole = scratch.path("whole." + ending)
        try TestPicture.writeClip(whole, times: (0..<180).map { Double($0) / 30 })
        let recording = try Recording.of(scratch.truncate(whole, to: "cut." + ending, share: share))
        let failure = try #require(recording.failure)
        #expect(failure.reason == .corrupt)
        #expect(failure.description.contains("cut." + ending))
        #expect(recording.stamps.count > 20 && recording.stamps.count < 180)
        #expect(recording.counts.captured == recording.counts.taken + recording.counts.dropped.values.reduce(0, +))
        #expect(recording.ends.count == 1)
    }

    /// A clip of 60 pictures in two seconds of which these, counted from 1, cannot be decoded.
    private func clip(damaged: ClosedRange<Int>) throws -> String {
        let path = scratch.path("frames.avi")
        try TestPicture.writeClip(path, times: (0..<60).map { Double($0) / 30 })
        var data = try Data(contentsOf: URL(filePath: path))
        // Overwrites the pictures: the decoder finds none in such a packet.
        let marker = Data("00dc".utf8)
        var place = data.startIndex
        for number in 1...damaged.upperBound {
            place = try #require(data.range(of: marker, in: place..<data.endIndex)).upperBound
            // The chunk's size, which its bytes follow.
            let size = data[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            if damaged.contains(number) { for offset in 4..<4 + size { data[place + offset] = 0xFF } }
        }
        return try scratch.write(data, to: "damaged.avi")
    }

    @Test("a part of a clip that cannot be decoded counts as a loss while its time passes")
    func damagedPart() throws {
        var options = FrameSourceOptions(pace: .realtime)
        options.stallTimeout = .seconds(0.3)
        let recording = try Recording.of(clip(damaged: 11...40), options: options)
        #expect(recording.losses.map(\.reason) == [.undecodable])
        #expect(recording.stamps.count == 30 && recording.counts.dropped[.corrupt] == 30)
        #expect(recording.stamps.last?.frame == 59)
    }

    @Test("a few damaged pictures in the middle are counted, and the clip is played to its end")
    func damagedMiddle() throws {
        let recording = try Recording.of(clip(damaged: 30...30))
        #expect(recording.isFinished, "\(String(describing: recording.failure))")
        #expect(recording.counts.dropped[.corrupt] == 1)
        #expect(recording.counts.captured == 60 && recording.stamps.count == 59)
        #expect(recording.stamps.last?.frame == 59)
    }

    @Test("a missing file, a directory, an empty file and a text are told apart")
    func wrongFiles() throws {
        let text = try scratch.write(Data(String(repeating: "This is no clip.\n", count: 200).utf8), to: "text.mp4")
        let empty = try scratch.write(Data(), to: "empty.mp4")
        let missing = scratch.path("missing.mp4")
        #expect(error(of: missing)?.reason == .notFound)
        #expect(error(of: text + "/in")?.reason == .notFound)
        #expect(error(of: scratch.directory.path)?.reason == .unreadable)
        #expect(error(of: empty)?.description.contains("the file is empty") == true)
        #expect(error(of: text)?.reason == .corrupt)
        #expect(error(of: text)?.description.contains("text.mp4") == true)
    }

    @Test("a text is refused whatever its name", arguments: ["txt", "mp4", "m3u8", "ans", "srt", "jpg", "gif", ""])
    func textFiles(ending: String) throws {
        let lines =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\nffconcat version 1.0\nfile '/etc/passwd'\n"
        let path = try scratch.write(Data(lines.utf8), to: "text." + ending)
        #expect(throws: SourceFailure.self) { try PictureFile.load(path) }
    }

    @Test("sound and playlists are named as what they are")
    func otherKinds() throws {
        // Frames of MPEG-1 layer III, 128 kbit/s at 44.1 kHz: 417 bytes each.
        let sound = Data((0..<40).flatMap { _ in [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413) })
        let list = Data("ffconcat version 1.0\nfile 'other.mp4'\n".utf8)
        for (name, bytes, kind) in [("song.mp3", sound, "MPEG audio"), ("list.ffconcat", list, "concatenation")] {
            let path = try scratch.write(bytes, to: name)
            let message = try #require(error(of: path)).description
            #expect(message.contains(name) && message.contains(kind) && !message.contains("permissions"), "\(message)")
        }
    }

    @Test("pictures with more pixels than allowed are refused by their header")
    func tooLarge() throws {
        let picture = TestPicture()
        var jpeg = try picture.jpeg(in: scratch)
        jpeg.setJPEGSize(FrameSize(width: 16_000, height: 16_000))
        let still = try scratch.write(jpeg, to: "bomb.jpg")
        #expect {
            try PictureFile.load(still)
        } throws: {
            "\($0)".contains("16000x16000")
        }
        let clip = scratch.path("clip.mp4")
        try TestPicture.writeClip(clip)
        var options = FrameSourceOptions(pace: .asap)
        options.maximumPixels = picture.size.width * picture.size.height - 1
        let limit = options.maximumPixels
        #expect {
            try ClipSource(clip, options: options)
        } throws: {
            "\($0)".contains("are \(picture.size), more than the \(limit) pixels")
        }
        options.maximumPixels += 1
        #expect(try Recording.of(clip, options: options).isFinished)
    }

    @Test("an mp4 without its index is refused with a remedy")
    func withoutIndex() throws {
        let whole = scratch.path("whole.mp4")
        try TestPicture.writeClip(whole)
        let path = try scratch.truncate(whole, to: "start.mp4", share: 0.02)
        let message = try #require(error(of: path)).description
        #expect(message.contains("start.mp4") && message.contains("copy or record it again"), "\(message)")
    }

    @Test("random bytes never crash the source", arguments: 0..<12)
    func randomBytes(seed: Int) throws {
        let whole = scratch.path("whole.mp4")
        try TestPicture.writeClip(whole, times: (0..<40).map { Double($0) / 30 })
        var data = try Data(contentsOf: URL(filePath: whole))
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<(40 + seed * 40) {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            data[Int(state >> 33) % data.count] = UInt8(truncatingIfNeeded: state >> 24)
        }
        let path = try scratch.write(data, to: "random.mp4")
        guard let source = try? ClipSource(path, options: .init(pace: .asap)) else { return }
        let recording = Recording.of(source)
        #expect(recording.ends.count == 1)
        #expect(recording.counts.captured == recording.counts.taken + recording.counts.dropped.values.reduce(0, +))
        #expect(zip(recording.mediaTimes, recording.mediaTimes.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("a wild time or duration in the middle is passed over, and no pause of centuries is made")
    func wildTimes() throws {
        let jpeg = try TestPicture().jpeg(in: scratch)
        let longest = UInt64(Int64.max)
        let times: [(UInt64, UInt64?)] = [
            (0, nil), (40, longest), (10_000_000_000_000_000, 40), (longest, longest), (120, nil),
        ]
        let file = Matroska(pictures: times.map { .init(jpeg: jpeg, time: $0.0, duration: $0.1) })
        let recording = try Recording.of(scratch.write(file.data, to: "wild.mkv"))
        #expect(recording.ends.count == 1)
        #expect(recording.stamps.count == 5)
        #expect(recording.mediaTimes.allSatisfy { $0 < 1 }, "\(recording.mediaTimes)")
        #expect(zip(recording.mediaTimes, recording.mediaTimes.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("a clip of thousands of years is damaged from where no clock goes further")
    func endlessTimes() throws {
        let picture = TestPicture(size: FrameSize(width: 16, height: 16))
        let jpeg = try picture.jpeg(in: scratch)
        // A day, less a bit, from one picture to the next.
        let pictures = (0..<12_000).map { Matroska.Picture(jpeg: jpeg, time: UInt64($0) * 86_000) }
        let file = Matroska(size: picture.size, tick: 1_000_000_000, pictures: pictures)
        let recording = try Recording.of(scratch.write(file.data, to: "endless.mkv"))
        #expect(recording.ends.count == 1)
        #expect(recording.mediaTimes.allSatisfy { $0 < 1e9 })
        #expect(recording.counts.dropped[.corrupt] == 12_000 - recording.stamps.count)
        #expect(recording.stamps.count == 11_629)
    }

    @Test("a file with sound only is refused, with a cover too")
    func soundOnly() throws {
        // The content decides, not the name.
        let path = try SoundFile.write(to: scratch.path("sound.mov"))
        #expect(error(of: path)?.reason == .noVideo)
        let album = try Matroska(hasVideo: false, cover: TestPicture().jpeg(in: scratch)).data
        let song = try scratch.write(album, to: "song.mkv")
        #expect(error(of: song)?.description.contains("only sound or text") == true)
    }

    @Test("a clip's cover is not played in its place")
    func cover() throws {
        let picture = try Matroska.Picture(jpeg: TestPicture().jpeg(in: scratch), time: 0)
        let cover = try TestPicture(size: FrameSize(width: 640, height: 480)).jpeg(in: scratch)
        let path = try scratch.write(Matroska(pictures: [picture], cover: cover).data, to: "film.mkv")
        #expect(try Recording.of(path).stream?.size == FrameSize(width: 160, height: 120))
    }

    @Test("a cut-off picture is an error, not half a picture", arguments: ["png", "jpg"])
    func cutOffPicture(ending: String) throws {
        let whole = scratch.path("whole." + ending)
        let picture = TestPicture()
        try PictureWriter.write(picture.frame(), to: whole)
        let path = try scratch.truncate(whole, to: "cut." + ending, share: 0.6)
        #expect(throws: SourceFailure.self) { try PictureFile.load(path) }
        if let source = try? ClipSource(path, options: .init(pace: .asap)) {
            #expect(Recording.of(source).failure?.reason == .corrupt)
        }
    }

    private func error(of path: String) -> SourceFailure? {
        do throws(SourceFailure) {
            _ = try ClipSource(path)
            return nil
        } catch {
            return error
        }
    }
}
