import FaceMetadata
import Frames

/// A picture of smooth colours in any pixel format, with planes that are not a byte too long.
final class SyntheticPicture: @unchecked Sendable {
    enum Layout: CaseIterable, Sendable {
        case gray, i420, i422, i444, nv12, yuyv, rgb24, bgr24, bgra, rgba
    }

    let frame: Frame

    private final class Memory: @unchecked Sendable {
        let planes: [UnsafeMutablePointer<UInt8>]

        init(_ planes: [[UInt8]]) {
            self.planes = planes.map { bytes in
                let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
                memory.initialize(from: bytes, count: bytes.count)
                return memory
            }
        }

        deinit { for plane in planes { plane.deallocate() } }
    }

    init(_ size: FrameSize, _ layout: Layout, _ encoding: YUVEncoding) {
        frame = Self.frame(size, layout, encoding)
    }

    /// A gray picture of those samples.
    init(_ size: FrameSize, gray: [UInt8], _ orientation: Orientation = .up) {
        frame = Self.frame(
            size,
            .gray,
            [(gray, size.width)],
            YUVEncoding(matrix: .bt601, isFullRange: true),
            orientation
        )
    }

    /// Red, green, blue of a pixel.
    private static func color(_ x: Int, _ y: Int) -> [Double] {
        [60 + 3 * Double(x), 200 - 4 * Double(y), 90 + 1.5 * Double(x) + 2 * Double(y)]
    }

    /// The brightness of a pixel in the full range of BT.601.
    static func luma(_ x: Int, _ y: Int) -> UInt8 {
        yuv(color(x, y), YUVEncoding(matrix: .bt601, isFullRange: true))[0]
    }

    private static func yuv(_ color: [Double], _ encoding: YUVEncoding) -> [UInt8] {
        let (red, blue) = encoding.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let y = red * color[0] + (1 - red - blue) * color[1] + blue * color[2]
        let u = (color[2] - y) / (2 * (1 - blue))
        let v = (color[0] - y) / (2 * (1 - red))
        let (lumaScale, chromaScale, black) = encoding.isFullRange ? (1, 1, 0) : (219.0 / 255, 224.0 / 255, 16.0)
        return [black + y * lumaScale, 128 + u * chromaScale, 128 + v * chromaScale].map { UInt8($0.rounded()) }
    }

    private static func frame(_ size: FrameSize, _ layout: Layout, _ encoding: YUVEncoding) -> Frame {
        let (width, height) = (size.width, size.height)
        /// One sample for each block of pixels, the middle one's.
        func plane(_ channel: Int, _ blockX: Int = 1, _ blockY: Int = 1) -> [UInt8] {
            stride(from: 0, to: height, by: blockY).flatMap { y in
                stride(from: 0, to: width, by: blockX).map { x in
                    let all = (0..<blockX * blockY).map { color(x + $0 % blockX, y + $0 / blockX) }
                    let mean = (0..<3).map { index in all.map { $0[index] }.reduce(0, +) / Double(all.count) }
                    return yuv(mean, encoding)[channel]
                }
            }
        }
        func interleaved(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] { zip(first, second).flatMap { [$0, $1] } }
        func packed(_ order: [Int]) -> [UInt8] {
            (0..<width * height).flatMap { pixel in
                let color = color(pixel % width, pixel / width)
                return order.map { $0 < 3 ? UInt8(color[$0].rounded()) : 255 }
            }
        }
        let half = (width + 1) / 2
        let planes: [([UInt8], Int)] =
            switch layout {
            case .gray: [(plane(0), width)]
            case .i420: [(plane(0), width), (plane(1, 2, 2), half), (plane(2, 2, 2), half)]
            case .i422: [(plane(0), width), (plane(1, 2), half), (plane(2, 2), half)]
            case .i444: [(plane(0), width), (plane(1), width), (plane(2), width)]
            case .nv12: [(plane(0), width), (interleaved(plane(1, 2, 2), plane(2, 2, 2)), 2 * half)]
            case .yuyv: [(yuyv(plane(0), plane(1, 2), plane(2, 2), width), 4 * half)]
            case .rgb24: [(packed([0, 1, 2]), 3 * width)]
            case .bgr24: [(packed([2, 1, 0]), 3 * width)]
            case .bgra: [(packed([2, 1, 0, 3]), 4 * width)]
            case .rgba: [(packed([0, 1, 2, 3]), 4 * width)]
            }
        return frame(size, layout, planes, encoding, .up)
    }

    /// Interleaves the samples row by row; an odd width leaves the last pair's second pixel at 0.
    private static func yuyv(_ luma: [UInt8], _ u: [UInt8], _ v: [UInt8], _ width: Int) -> [UInt8] {
        let half = (width + 1) / 2
        return (0..<luma.count / width).flatMap { row in
            (0..<half).flatMap { pair in
                let first = row * width + 2 * pair
                let second = 2 * pair + 1 < width ? luma[first + 1] : 0
                return [luma[first], u[row * half + pair], second, v[row * half + pair]]
            }
        }
    }

    private static func frame(
        _ size: FrameSize,
        _ layout: Layout,
        _ planes: [([UInt8], Int)],
        _ encoding: YUVEncoding,
        _ orientation: Orientation
    ) -> Frame {
        let memory = Memory(planes.map(\.0))
        func plane(_ index: Int) -> Frame.Plane? {
            guard planes.indices ~= index else { return nil }
            return Frame.Plane(base: UnsafeRawPointer(memory.planes[index]), bytesPerRow: planes[index].1)
        }
        let format: PixelFormat =
            switch layout {
            case .gray: .gray
            case .i420: .planarYUV(chromaShiftX: 1, chromaShiftY: 1)
            case .i422: .planarYUV(chromaShiftX: 1, chromaShiftY: 0)
            case .i444: .planarYUV(chromaShiftX: 0, chromaShiftY: 0)
            case .nv12: .nv12
            case .yuyv: .yuyv
            case .rgb24: .rgb24
            case .bgr24: .bgr24
            case .bgra: .bgra
            case .rgba: .rgba
            }
        return Frame(
            stamp: FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0),
            captured: .now,
            size: size,
            format: format,
            encoding: encoding,
            orientation: orientation,
            planes: Frame.Planes(
                Frame.Plane(base: UnsafeRawPointer(memory.planes[0]), bytesPerRow: planes[0].1),
                plane(1),
                plane(2)
            ),
            lease: memory
        )
    }
}
