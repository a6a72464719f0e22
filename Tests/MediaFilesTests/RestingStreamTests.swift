import CFFmpeg
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("A stream at rest", .serialized, .enabled(if: LocalServer.isPossible), .timeLimit(.minutes(5)))
struct RestingStreamTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// What came of a stream.
    private struct Playback {
        /// The presentation times of the pictures that were decoded, by their numbers, and their sizes.
        var times: [Int: Double] = [:]
        var sizes: [FrameSize] = []
        var damaged = 0
        /// How many pictures there were, decoded or not.
        var count = 0
    }

    /// Plays a file of the directory as a live stream in which nothing is ever seen.
    private func play(_ name: String, _ policy: FrameSourceOptions.IdleDecoding) throws -> Playback {
        let server = try LocalServer(.files, directory: scratch.directory)
        var options = FrameSourceOptions()
        options.idleDecoding = policy
        let location = try MediaLocation("http://127.0.0.1:\(server.port)/\(name)")
        let reader = try ClipReader(location, interrupt: Interrupt(), options: options)
        #expect(reader.input.isLive)
        var playback = Playback()
        while true {
            let step = reader.next { true }
            playback.count += reader.drainSkipped()
            switch step {
            case .picture(let picture):
                playback.times[playback.count] = picture.presentation
                if picture.frame.size != playback.sizes.last { playback.sizes.append(picture.frame.size) }
            case .damaged: playback.damaged += 1
            case .end: return playback
            }
            playback.count += 1
        }
    }

    /// Writes those pictures of a textured room, 25 a second with a key picture each second, in which a block moves in those
    /// from 187 to 212. `edit` takes each compressed picture and says whether it comes through.
    private func write(
        _ name: String,
        numbers: Range<Int> = 0..<260,
        size: FrameSize = FrameSize(width: 160, height: 120),
        edit: (Int, AVPacket) -> Bool = { _, _ in true }
    ) throws {
        try FFmpeg.load()
        let path = scratch.path(name)
        let form = ClipFormat(ending: "ts", muxer: "mpegts", encoders: ["libx264", "mpeg4"], ticksPerSecond: 90_000)
        let target = FrameScaler.Target(format: AV_PIX_FMT_YUV420P, size: size, encoding: .video)
        let encoder = try VideoEncoder(form, target, rate: 25, path: path)
        let muxer = try Muxer(path, format: form, encoder: encoder)
        let scaler = FrameScaler()
        // A key picture holds it, and those between need not repeat it.
        var generator = SplitMix64(seed: 1)
        let texture = (0..<size.width * size.height * 4).map { _ in UInt8.random(in: 0...127, using: &generator) }
        let stamp = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0)
        let frames = try (0...25).map { step in
            let bytes = zip(TestPicture(size: size, step: step).bgra, texture).map { $0 / 2 + $1 }
            return try Frame(copying: bytes, size: size, format: .bgra, stamp: stamp)
        }
        func take(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
            edit(Int(packet.pointee.pts / 3600), packet.pointee) ? muxer.write(packet) : 0
        }
        for number in numbers {
            _ = try scaler.convert(frames[min(max(0, number - 187), 25)], to: target, path: path) { picture in
                picture.pointee.pts = Int64(number * 3600)
                picture.pointee.pict_type = number % 25 == 0 ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
                return encoder.encode(picture, take)
            }
        }
        _ = encoder.encode(nil, take)
        try muxer.finish()
    }

    @Test("is decoded by its key pictures, and whole from the group on in which something moves, with the same numbers")
    func movement() throws {
        try write("room.ts")
        let (all, some) = (try play("room.ts", .always), try play("room.ts", .auto))
        #expect(all.times.count == 260 && all.count == 260 && some.count == 260)
        for (number, time) in some.times { #expect(all.times[number] == time) }
        // Known after four seconds, then only key pictures until the group that begins with 175.
        #expect(Set(101..<175).intersection(some.times.keys) == [125, 150])
        #expect(Set(175..<225).isSubset(of: some.times.keys))
        #expect(all.damaged == 0 && some.damaged == 0)
    }

    @Test("rests on where pictures are lost, with the same times")
    func loss() throws {
        try write("room.ts") { number, _ in !(110..<115).contains(number) }
        let (all, some) = (try play("room.ts", .always), try play("room.ts", .auto))
        #expect(all.count == 255 && some.count == 255)
        for (number, time) in some.times { #expect(all.times[number] == time) }
        #expect(Set(101..<170).intersection(some.times.keys) == [120, 145])
        #expect(Set(170..<220).isSubset(of: some.times.keys))
    }

    @Test("counts a key picture that cannot be decoded once, and goes on with the next one")
    func damage() throws {
        try write("room.ts") { number, packet in
            // The first NAL unit of an IDR picture: what follows claims to be of a kind that it must not be.
            let bytes = UnsafeMutableRawBufferPointer(start: packet.data, count: Int(packet.size))
            if number == 125, let unit = bytes.firstRange(of: [0, 0, 1, 0x65]) {
                bytes[unit.upperBound...].prefix(64).indices.forEach { bytes[$0] = 0xFF }
            }
            return true
        }
        let (all, some) = (try play("room.ts", .always), try play("room.ts", .auto))
        #expect(all.damaged == 1 && some.damaged == 1)
        // What refers to it is not shown either way.
        #expect(Set(some.times.values).isSubset(of: all.times.values))
        let shown = [all, some].map { Set($0.times.values.map { Int(($0 * 25).rounded()) }) }
        #expect(shown.allSatisfy { $0.contains(150) && !$0.contains(126) })
    }

    @Test("follows a change of size")
    func size() throws {
        let large = FrameSize(width: 320, height: 240)
        try write("room.ts", numbers: 0..<150)
        try write("large.ts", numbers: 150..<260, size: large)
        let both = try ["room.ts", "large.ts"].map { try Data(contentsOf: URL(filePath: scratch.path($0))) }
        _ = try scratch.write(both[0] + both[1], to: "both.ts")
        let (all, some) = (try play("both.ts", .always), try play("both.ts", .auto))
        #expect(all.count == 260 && some.count == 260)
        #expect(all.sizes == [FrameSize(width: 160, height: 120), large] && some.sizes == all.sizes)
        for (number, time) in some.times { #expect(all.times[number] == time) }
        #expect(!some.times.keys.contains(149) && Set(175..<225).isSubset(of: some.times.keys))
    }
}
