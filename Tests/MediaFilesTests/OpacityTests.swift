import CFFmpeg
import FaceMetadata
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("Opacity")
struct OpacityTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// How a picture with an erased half is stored.
    struct Storage: CustomTestStringConvertible {
        var encoder: String
        var format: AVPixelFormat
        var muxer = "nut"

        var testDescription: String { "\(encoder) \(format.rawValue)" }
    }

    static let storages = [
        Storage(encoder: "rawvideo", format: AV_PIX_FMT_RGBA), Storage(encoder: "rawvideo", format: AV_PIX_FMT_BGRA),
        Storage(encoder: "rawvideo", format: AV_PIX_FMT_ARGB), Storage(encoder: "rawvideo", format: AV_PIX_FMT_ABGR),
        Storage(encoder: "png", format: AV_PIX_FMT_RGBA64BE), Storage(encoder: "png", format: AV_PIX_FMT_YA8),
        Storage(encoder: "png", format: AV_PIX_FMT_YA16BE),
        Storage(encoder: "apng", format: AV_PIX_FMT_RGBA, muxer: "apng"),
        Storage(encoder: "qtrle", format: AV_PIX_FMT_ARGB, muxer: "mov"),
        Storage(encoder: "prores_ks", format: AV_PIX_FMT_YUVA444P10LE, muxer: "mov"),
        Storage(encoder: "ffv1", format: AV_PIX_FMT_BGRA, muxer: "matroska"),
        Storage(encoder: "ffv1", format: AV_PIX_FMT_YUVA420P, muxer: "matroska"),
        Storage(encoder: "libvpx-vp9", format: AV_PIX_FMT_YUVA420P, muxer: "webm"),
        Storage(encoder: "utvideo", format: AV_PIX_FMT_GBRAP),
    ]

    @Test("what was erased is white in a frame, however the file stores it", arguments: storages)
    func erased(storage: Storage) throws {
        let path = try write(storage)
        let frame = try PictureFile.load(path)
        #expect(frame.hasOpacity)
        let colours = try frame.quarterColours()
        let isGrey = [AV_PIX_FMT_YA8, AV_PIX_FMT_YA16BE].contains(storage.format)
        let kept = isGrey ? Colour.blue.brightness : Colour.blue
        #expect(colours[0].isNear(kept) && colours[2].isNear(kept), "\(colours)")
        #expect(colours[1].isNear(.white) && colours[3].isNear(.white), "\(colours)")
    }

    @Test("a PNG keeps opacity, and nothing of the colours below what was erased; others show it over white")
    func written() throws {
        let pixels: [[UInt8]] = [[255, 0, 0, 0], [200, 100, 0, 128], [10, 20, 30, 255], [255, 0, 0, 0]]
        var bytes = pixels.flatMap { pixel in [[UInt8]](repeating: pixel, count: 8).joined() }
        bytes = [[UInt8]](repeating: bytes, count: 8).flatMap(\.self)
        let size = FrameSize(width: 32, height: 8)
        let isOpaque = bytes.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { !Frame.layOverWhite($0, bytesPerRow: 128, size) }
        }
        #expect(isOpaque == false)
        var frame = try Frame(copying: bytes, size: size, format: .rgba, stamp: .unset)
        frame.hasOpacity = true
        let png = scratch.path("a.png")
        let jpeg = scratch.path("a.jpg")
        try PictureWriter.write(frame, to: png)
        try PictureWriter.write(frame, to: jpeg)
        let stored = try storedPixels(of: png, count: size.width)
        for (index, pixel) in pixels.enumerated() {
            let found = Array(stored[(index * 8 + 4) * 4..<(index * 8 + 5) * 4])
            let wanted = pixel[3] == 0 ? [0, 0, 0, 0] : pixel
            #expect(zip(found, wanted).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "\(found) \(pixel)")
        }
        let flat = try PictureFile.load(jpeg).rgb().bytes
        #expect(flat[4 * 3] > 240 && flat[4 * 3 + 1] > 240)
        #expect(abs(Int(flat[12 * 3]) - 227) < 8 && abs(Int(flat[12 * 3 + 1]) - 177) < 8)
    }

    /// Blue on the left; on the right pure red of which nothing is to be seen.
    private func write(_ storage: Storage) throws -> String {
        try FFmpeg.load()
        let path = scratch.path("erased.\(storage.muxer)")
        let size = TestPicture().size
        let encoders = [storage.encoder]
        let form = ClipFormat(ending: "", muxer: storage.muxer, encoders: encoders, ticksPerSecond: 1000)
        let target = PictureForm(format: storage.format, size: size, encoding: .video)
        let encoder = try VideoEncoder(form, target, rate: 30, path: path)
        let muxer = try Muxer(path, format: form, encoder: encoder)
        var pool = PicturePool()
        let source = try #require(pool.lend(format: AV_PIX_FMT_RGBA, size: size)?.pointer)
        let base = try #require(source.pointee.data.0)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let pixel: [UInt8] = x < size.width / 2 ? [40, 40, 210, 255] : [255, 0, 0, 0]
                for channel in 0..<4 { base[y * Int(source.pointee.linesize.0) + x * 4 + channel] = pixel[channel] }
            }
        }
        for step in 0..<3 {
            let owner = FFmpegOwned.frame()
            let picture = owner.pointer
            (picture.pointee.width, picture.pointee.height) = (Int32(size.width), Int32(size.height))
            picture.pointee.format = storage.format.rawValue
            try #require(ffmpeg.av_frame_get_buffer(picture, 0) >= 0)
            let pixels = PixelScaler.Pixels(picture, encoding: .video)
            try #require(PixelScaler().convert(.init(source, encoding: .video), to: pixels))
            picture.pointee.pts = Int64(step * 33)
            #expect(encoder.encode(picture) { muxer.write($0) } >= 0)
            withExtendedLifetime(owner) {}
        }
        #expect(encoder.encode(nil) { muxer.write($0) } >= 0)
        try muxer.finish()
        return path
    }

    /// The first row of a PNG as it is stored, red, green, blue and opacity.
    private func storedPixels(of path: String, count: Int) throws -> [UInt8] {
        let input = try MediaInput(try MediaLocation(path), interrupt: Interrupt(), options: FrameSourceOptions())
        let decoder = try VideoDecoder(for: input, devices: "/dev")
        let packet = FFmpegOwned.packet()
        try #require(input.read(into: packet.pointer) >= 0 && decoder.send(packet.pointer) >= 0)
        _ = decoder.send(nil)
        guard case .picture(let picture) = decoder.receive(), let base = picture.pointer.pointee.data.0 else {
            return []
        }
        #expect(picture.format == AV_PIX_FMT_RGBA)
        return Array(UnsafeBufferPointer(start: base, count: count * 4))
    }
}
