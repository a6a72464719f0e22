import CFFmpeg
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import Testing

@testable import MediaFiles

/// Made streams of a room in which hardly anything moves.
struct RoomStream {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// What came of a stream.
    struct Playback {
        /// The presentation times of the pictures that were decoded, by their numbers, and their sizes.
        var times: [Int: Double] = [:]
        var sizes: [FrameSize] = []
        /// The pixels of each as a JPEG's, by their numbers, if they were asked for.
        var pixels: [Int: [UInt8]] = [:]
        var damaged = 0
        /// How many pictures there were, decoded or not.
        var count = 0
        /// What decoded, and why it was not the device, each once.
        var decoders: [String] = []
        var details: [String] = []
    }

    /// Plays a file of the directory as a live stream in which nothing is ever seen.
    func play(
        _ name: String,
        _ options: FrameSourceOptions,
        devices: String = "/dev",
        isLive: Bool = true,
        keepsPixels: Bool = false
    ) throws -> Playback {
        let server = try isLive ? LocalServer(.files, directory: scratch.directory) : nil
        let address = server.map { "http://127.0.0.1:\($0.port)/\(name)" } ?? scratch.path(name)
        let location = try MediaLocation(address)
        let reader = try ClipReader(location, interrupt: Interrupt(), options: options, devices: devices)
        #expect(reader.input.isLive == isLive)
        var playback = Playback()
        while true {
            let step = reader.next { true }
            playback.count += reader.drainSkipped()
            switch step {
            case .picture(let frame, let presentation):
                playback.times[playback.count] = presentation
                if frame.size != playback.sizes.last { playback.sizes.append(frame.size) }
                if keepsPixels { playback.pixels[playback.count] = try frame.jpeg() }
                if reader.decoder.name != playback.decoders.last { playback.decoders.append(reader.decoder.name) }
                if let detail = reader.decoder.detail, detail != playback.details.last {
                    playback.details.append(detail)
                }
            case .damaged: playback.damaged += 1
            case .end: return playback
            }
            playback.count += 1
        }
    }

    /// Writes those pictures of a textured room, 25 a second with a key picture each second, in which a block moves in
    /// those from 187 to 212. `edit` takes each compressed picture and says whether it comes through.
    func write(
        _ name: String,
        numbers: Range<Int> = 0..<260,
        size: FrameSize = FrameSize(width: 160, height: 120),
        edit: (Int, AVPacket) -> Bool = { _, _ in true }
    ) throws {
        try FFmpeg.load()
        let path = scratch.path(name)
        let form = ClipFormat(ending: "ts", muxer: "mpegts", encoders: ["libx264", "mpeg4"], ticksPerSecond: 90_000)
        let target = PictureForm(format: AV_PIX_FMT_YUV420P, size: size, encoding: .video)
        let encoder = try VideoEncoder(form, target, rate: 25, path: path)
        let muxer = try Muxer(path, format: form, encoder: encoder)
        let scaler = FrameScaler()
        // A key picture holds it, and those between need not repeat it.
        var generator = SplitMix64(seed: 1)
        let texture = (0..<size.width * size.height * 4).map { _ in UInt8.random(in: 0...127, using: &generator) }
        let stamp = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0)
        let steps = Set(numbers.map { min(max(0, $0 - 187), 25) })
        let frames = try steps.reduce(into: [Int: Frame]()) { frames, step in
            let bytes = zip(TestPicture(size: size, step: step).bgra, texture).map { $0 / 2 + $1 }
            frames[step] = try Frame(copying: bytes, size: size, format: .bgra, stamp: stamp)
        }
        func take(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
            edit(Int(packet.pointee.pts / 3600), packet.pointee) ? muxer.write(packet) : 0
        }
        for number in numbers {
            let frame = try #require(frames[min(max(0, number - 187), 25)])
            _ = try scaler.convert(frame, to: target, path: path) { picture in
                picture.pointee.pts = Int64(number * 3600)
                picture.pointee.pict_type = number % 25 == 0 ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
                return encoder.encode(picture, take)
            }
        }
        _ = encoder.encode(nil, take)
        try muxer.finish()
    }
}
