import CFFmpeg
import FaceMetadata
import Foundation
import Frames

@testable import MediaFiles

/// A directory that is gone when the object is.
final class Scratch {
    let directory = FileManager.default.temporaryDirectory.appending(path: "facet-media-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func path(_ name: String) -> String { directory.appending(path: name).path }

    func write(_ bytes: some DataProtocol, to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// A copy of the first part of a file.
    func truncate(_ path: String, to name: String, share: Double) throws -> String {
        let data = try Data(contentsOf: URL(filePath: path))
        return try write(data.prefix(Int(Double(data.count) * share)), to: name)
    }

    /// The names of the files in the directory.
    var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() } }
}

/// A colour, 0…255.
struct Colour: Equatable, CustomStringConvertible {
    var red: Int
    var green: Int
    var blue: Int

    static let red = Colour(red: 220, green: 30, blue: 30)
    static let green = Colour(red: 30, green: 200, blue: 40)
    static let blue = Colour(red: 40, green: 40, blue: 210)
    static let white = Colour(red: 255, green: 255, blue: 255)
    static let grey = Colour(red: 128, green: 128, blue: 128)

    var description: String { "(\(red), \(green), \(blue))" }

    var brightness: Colour {
        let luma: Int = (299 * red + 587 * green + 114 * blue + 500) / 1000
        return Colour(red: luma, green: luma, blue: luma)
    }

    func isNear(_ other: Colour, tolerance: Int = 12) -> Bool {
        let differences: [Int] = [red - other.red, green - other.green, blue - other.blue]
        return differences.allSatisfy { $0.magnitude <= tolerance }
    }
}

/// Four quarters: red, green, blue and grey, and a white block that moves to the right along the middle.
struct TestPicture {
    static let quarters = [Colour.red, .green, .blue, .grey]

    var size = FrameSize(width: 160, height: 120)
    var step = 0

    /// The picture as B, G, R, 255.
    var bgra: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size.width * size.height * 4)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let quarter: Int = x * 2 / size.width + 2 * (y * 2 / size.height)
                let colour: Colour = isBlock(x, y) ? .white : Self.quarters[quarter]
                bytes.append(UInt8(colour.blue))
                bytes.append(UInt8(colour.green))
                bytes.append(UInt8(colour.red))
                bytes.append(255)
            }
        }
        return bytes
    }

    private func isBlock(_ x: Int, _ y: Int) -> Bool {
        let left = step * 3 % size.width
        let top = size.height / 2 - 8
        return x >= left && x < left + 16 && y >= top && y < top + 16
    }

    /// The picture as a frame.
    func frame(at mediaTime: Double = 0) throws -> Frame {
        let stamp = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: mediaTime)
        return try Frame(copying: bgra, size: size, format: .bgra, stamp: stamp)
    }

    /// The picture as a JPEG.
    func jpeg(in scratch: Scratch) throws -> Data {
        let path = scratch.path("picture.jpg")
        try PictureWriter.write(frame(), to: path)
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Writes a clip of such pictures, the block moving, shown at these times.
    static func writeClip(
        _ path: String,
        times: [Double] = (0..<30).map { Double($0) / 30 },
        size: FrameSize = FrameSize(width: 160, height: 120),
        rate: Double = 30
    ) throws {
        let writer = try ClipWriter(path, size: size, rate: rate)
        for (step, time) in times.enumerated() {
            try writer.append(TestPicture(size: size, step: step).frame(at: time))
        }
        try writer.finish()
    }

    /// Writes a clip whose pictures lie in the file in one of FFmpeg's pixel formats, uncompressed.
    static func writeRaw(_ path: String, format: AVPixelFormat, encoding: YUVEncoding, pictures: Int = 3) throws {
        try FFmpeg.load()
        let size = TestPicture().size
        let form = ClipFormat(ending: "nut", muxer: "nut", encoders: ["rawvideo"], ticksPerSecond: 1000)
        let target = PictureForm(format: format, size: size, encoding: encoding)
        let encoder = try VideoEncoder(form, target, rate: 30, path: path)
        let muxer = try Muxer(path, format: form, encoder: encoder)
        let scaler = FrameScaler()
        for step in 0..<pictures {
            _ = try scaler.convert(try TestPicture(step: step).frame(), to: target, path: path) { picture in
                picture.pointee.pts = Int64(step * 33)
                return encoder.encode(picture) { muxer.write($0) }
            }
        }
        try muxer.finish()
    }
}

extension Frame {
    /// The colours in the middle of the four quarters of the upright picture.
    func quarterColours() throws -> [Colour] {
        try FFmpeg.load()
        let upright = uprightSize
        let target = PictureForm(format: AV_PIX_FMT_RGB24, size: upright, encoding: .jpeg)
        return try FrameScaler().convert(self, to: target, path: "") { picture in
            guard let base = picture.pointee.data.0 else { return [] }
            return [(1, 1), (3, 1), (1, 3), (3, 3)].map { (x, y) in
                let row = base + (y * upright.height / 4) * Int(picture.pointee.linesize.0)
                let pixel = row + (x * upright.width / 4) * 3
                return Colour(red: Int(pixel[0]), green: Int(pixel[1]), blue: Int(pixel[2]))
            }
        }
    }
}

/// Whether the colours are those of the test picture, in its order.
func areTheQuarters(_ colours: [Colour], tolerance: Int = 12) -> Bool {
    colours.count == 4 && zip(colours, TestPicture.quarters).allSatisfy { $0.isNear($1, tolerance: tolerance) }
}

extension Data {
    /// Writes another size into a JPEG's header (the first SOF segment, ITU-T T.81 B.2.2).
    mutating func setJPEGSize(_ size: FrameSize) {
        guard
            let marker = indices.dropLast(9).first(where: { self[$0] == 0xFF && (0xC0...0xC2).contains(self[$0 + 1]) })
        else { return }
        for (offset, value) in [(5, size.height), (7, size.width)] {
            self[marker + offset] = UInt8(value >> 8)
            self[marker + offset + 1] = UInt8(value & 0xFF)
        }
    }
}
