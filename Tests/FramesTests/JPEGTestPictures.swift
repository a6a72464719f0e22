import FaceMetadata
import Frames

/// Bytes that frames lease, for tests that make their own pictures.
final class Bytes: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let count: Int

    init(_ bytes: [UInt8]) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + 1, alignment: 16)
        UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyBytes(from: bytes)
        base = memory
        count = bytes.count
    }

    deinit { base.deallocate() }
}

extension Frame {
    /// A frame of one plane over a copy of the bytes.
    static func test(
        _ bytes: [UInt8],
        _ size: FrameSize,
        _ format: PixelFormat,
        bytesPerRow: Int? = nil,
        encoding: YUVEncoding = .video,
        orientation: Orientation = .up
    ) -> Frame {
        let memory = Bytes(bytes)
        return Frame(
            stamp: FrameStamp(frame: 7, time: Timestamp(nanoseconds: 123_456_789), mediaTime: 0.5),
            captured: .now,
            size: size,
            format: format,
            encoding: encoding,
            orientation: orientation,
            planes: Planes(Plane(base: memory.base, bytesPerRow: bytesPerRow ?? bytes.count)),
            lease: memory
        )
    }

    /// A JPEG frame of the given size.
    static func jpeg(_ bytes: [UInt8], _ size: FrameSize, orientation: Orientation = .up) -> Frame {
        test(bytes, size, .jpeg, orientation: orientation)
    }

    /// RGB: red grows to the right, green grows downwards, blue is constant.
    static func gradient(_ size: FrameSize, orientation: Orientation = .up) -> Frame {
        var bytes: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                bytes += [UInt8(x * 255 / max(1, size.width - 1)), UInt8(y * 255 / max(1, size.height - 1)), 40]
            }
        }
        return test(bytes, size, .rgb24, bytesPerRow: size.width * 3, orientation: orientation)
    }

    /// The brightness at a pixel, for formats whose plane 0 is brightness.
    func luma(_ x: Int, _ y: Int) -> Int {
        Int(planes.first.base.load(fromByteOffset: y * planes.first.bytesPerRow + x, as: UInt8.self))
    }

    /// The first or second colour plane at a chroma position.
    func chroma(_ plane: Plane?, _ x: Int, _ y: Int) -> Int? {
        plane.map { Int($0.base.load(fromByteOffset: y * $0.bytesPerRow + x, as: UInt8.self)) }
    }
}

/// Random numbers that are the same in every run (a linear congruential generator, Knuth's MMIX constants).
struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

/// The marker segments of a JPEG up to its first scan, each as the range of its bytes with the marker.
func jpegSegments(_ bytes: [UInt8]) -> [(marker: UInt8, range: Range<Int>)] {
    var segments: [(UInt8, Range<Int>)] = []
    var at = 2
    while at + 4 <= bytes.count, bytes[at] == 0xFF {
        let end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
        segments.append((bytes[at + 1], at..<end))
        if bytes[at + 1] == 0xDA { break }
        at = end
    }
    return segments
}
