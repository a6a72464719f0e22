import CFFmpeg
import Foundation
import Frames
import System
import Testing

@testable import MediaFiles

@Suite("Files of other programs")
struct ForeignFileTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func failure(of path: String) -> String? {
        do {
            _ = try PictureFile.load(path)
            return nil
        } catch { return "\(error)" }
    }

    @Test("whole files of kinds that are not read are named, and nobody is told to copy them again")
    func kinds() throws {
        func media(_ brand: String, _ rest: [UInt8] = []) -> [UInt8] {
            [0, 0, 0, 20] + Array("ftyp\(brand)".utf8) + [0, 0, 0, 0] + Array("mif1".utf8) + rest
                + [0, 0, 1, 0] + Array("mdat".utf8) + [UInt8](repeating: 0, count: 248)
        }
        let rest = [UInt8](repeating: 0, count: 40)
        let webp = Array("RIFF".utf8) + [60, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0, 2] + rest
        let files: [(String, [UInt8], String)] = [
            ("a.heic", media("heic"), "HEIC"), ("b.jpg", media("heic"), "HEIC"), ("c.avif", media("avif"), "AVIF"),
            ("d.heif", media("mif1"), "HEIF"), ("e.webp", webp, "animated WebP"), ("f.cr3", media("crx "), "CR3"),
            ("g.jxl", [0xFF, 0x0A] + [UInt8](repeating: 7, count: 90), "JPEG XL"),
            ("h.psd", Array("8BPS".utf8) + [0, 1] + [UInt8](repeating: 0, count: 90), "PSD"),
        ]
        for (name, bytes, kind) in files {
            let words = try #require(failure(of: try scratch.write(bytes, to: name)))
            #expect(words.contains(kind) && words.contains("convert it") && !words.contains(" again"), "\(words)")
        }
    }

    @Test("a kind is recognised whatever bytes the file's name has")
    func anyName() throws {
        let path = scratch.directory.path + "/" + String(fileName: [0x62, 0xE4, 0x72] + Array(".mp4".utf8))
        #expect(rename(try scratch.write(Data("%PDF-1.7\n".utf8), to: "a"), path) == 0)
        #expect(failure(of: path)?.contains("it is a PDF") == true)
    }

    @Test("a TIFF is read, and refused where it is cut off", arguments: ["raw", "lzw", "deflate"])
    func tiff(compression: String) throws {
        try FFmpeg.load()
        let picture = TestPicture()
        let form = ClipFormat(ending: "tiff", muxer: "image2", encoders: ["tiff"])
        let target = PictureForm(format: AV_PIX_FMT_RGB24, size: picture.size, encoding: .jpeg)
        let encoder = try VideoEncoder(form, target, rate: 25, path: "")
        var bytes = Data()
        _ = try FrameScaler().convert(picture.frame(), to: target, path: "") { picture in
            encoder.encode(picture) { packet in
                bytes += Data(bytes: packet.pointee.data, count: Int(packet.pointee.size))
                return 0
            }
        }
        // A tag that only its maker knows, in the place of the one for the resolution's unit.
        let unit = try #require(bytes.firstRange(of: [0x28, 0x01, 0x03, 0x00]))
        bytes.replaceSubrange(unit.lowerBound..<unit.lowerBound + 2, with: [0x2B, 0x01])
        let whole = try scratch.write(bytes, to: "a.tiff")
        #expect(try areTheQuarters(PictureFile.load(whole).quarterColours()))
        #expect(try Recording.of(whole).isFinished)
        let cut = try scratch.truncate(whole, to: "cut.tiff", share: 0.6)
        #expect(failure(of: cut) != nil)
    }

    @Test("the track with many pictures is played, not the thumbnail that is flagged")
    func thumbnail() throws {
        let jpeg = try TestPicture().jpeg(in: scratch)
        let pictures = (0..<30).map { Matroska.Picture(jpeg: jpeg, time: UInt64($0) * 40) }
        let file = Matroska(pictures: pictures, thumbnail: jpeg)
        #expect(try Recording.of(scratch.write(file.data, to: "a.mkv")).stamps.count == 30)
    }

    @Test("a codec that FFmpeg does not know has the name that its file gives it")
    func codecs() throws {
        let jpeg = try TestPicture().jpeg(in: scratch)
        let pictures = (0..<3).map { Matroska.Picture(jpeg: jpeg, time: UInt64($0) * 40) }
        let film = try scratch.write(Matroska(pictures: pictures, codec: "V_NEW/ONE").data, to: "a.mkv")
        let clip = scratch.path("whole.mp4")
        try TestPicture.writeClip(clip)
        var bytes = try Data(contentsOf: URL(filePath: clip))
        for name in ["avc1", "mp4v"] {
            while let place = bytes.firstRange(of: Array(name.utf8)) {
                bytes.replaceSubrange(place, with: Array("XYZ1".utf8))
            }
        }
        let other = try scratch.write(bytes, to: "b.mp4")
        for (path, name) in [(film, "V_NEW/ONE"), (other, "XYZ1")] {
            let words = try #require(failure(of: path))
            #expect(words.contains("no decoder for the codec \(name);"), "\(words)")
        }
    }

    @Test("a clip that was trimmed by an edit list is whole")
    func trimmed() throws {
        let clip = scratch.path("whole.mp4")
        try TestPicture.writeClip(clip, times: (0..<90).map { Double($0) / 30 })
        var bytes = try Data(contentsOf: URL(filePath: clip))
        // One edit, of 3,000 ms: one second of it is left. The header's length stays.
        let list = try #require(bytes.firstRange(of: Array("elst".utf8)))
        let length = list.upperBound + 8
        #expect(Array(bytes[list.upperBound + 4..<length]) == [0, 0, 0, 1])
        bytes.replaceSubrange(length..<length + 4, with: [0, 0, 0x03, 0xE8])
        let recording = try Recording.of(scratch.write(bytes, to: "trimmed.mp4"))
        #expect(recording.isFinished, "\(String(describing: recording.failure))")
        #expect(28...34 ~= recording.stamps.count)
    }

    @Test("primaries and transfer of a clip are carried on", arguments: [(9, 16), (9, 18), (12, 1), (1, 13)])
    func statedColours(primaries: Int, transfer: Int) throws {
        let stated = ColorStatement(primaries: UInt8(primaries), transfer: UInt8(transfer))
        let size = TestPicture().size
        for ending in ["mp4", "mkv", "mov"] {
            let path = scratch.path("a." + ending)
            let writer = try ClipWriter(path, size: size, colors: stated)
            for step in 0..<3 { try writer.append(TestPicture(step: step).frame(at: Double(step) / 30)) }
            try writer.finish()
            let frame = try PictureFile.load(path)
            #expect(frame.colors == stated)
            #expect(frame.encoding.matrix == (primaries == 9 ? .bt2020 : .bt601))
            #expect(try areTheQuarters(frame.quarterColours()))
        }
    }

    @Test("a picture's memory that is used again holds one colour profile")
    func oneProfile() throws {
        try FFmpeg.load()
        let colors = ColorStatement(profile: [1, 2, 3])
        let target = PictureForm(format: AV_PIX_FMT_YUV420P, size: TestPicture().size, encoding: .video, colors: colors)
        let scaler = FrameScaler()
        let counts = try (0..<3).map { _ in
            try scaler.convert(TestPicture().frame(), to: target, path: "") { $0.pointee.nb_side_data }
        }
        #expect(counts == [1, 1, 1])
    }

    @Test("a picture's colour profile is carried on", arguments: ["png", "jpg"], [500, 150_000])
    func profile(ending: String, count: Int) throws {
        var profile = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
        let size = withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
        profile.replaceSubrange(0..<4, with: size)
        profile.replaceSubrange(16..<20, with: "RGB ".utf8)
        profile.replaceSubrange(36..<40, with: "acsp".utf8)
        var frame = try TestPicture().frame()
        frame.colors = ColorStatement(profile: profile)
        let path = scratch.path("a." + ending)
        try PictureWriter.write(frame, to: path)
        #expect(try PictureFile.load(path).colors?.profile == profile)
        // A profile for another kind of colours would be wrong for the file that is written.
        profile.replaceSubrange(16..<20, with: "CMYK".utf8)
        frame.colors = ColorStatement(profile: profile)
        try PictureWriter.write(frame, to: path)
        #expect(try (PictureFile.load(path).colors?.profile ?? []).isEmpty)
    }
}
