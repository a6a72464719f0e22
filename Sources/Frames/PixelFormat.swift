/// How a frame's pixels lie in memory. All formats have 8 bits a sample.
public enum PixelFormat: Hashable, Sendable {
    /// One plane of brightness.
    case gray
    /// Three planes Y, U, V; the chroma planes are smaller by these powers of two (I420 is 1, 1; I422 1, 0; I444 0, 0).
    case planarYUV(chromaShiftX: Int, chromaShiftY: Int)
    /// A Y plane and one plane of interleaved U, V, both halved in width and height.
    case nv12
    /// One plane of Y0 U Y1 V: two pixels share their chroma.
    case yuyv
    /// One plane of pixels of that many bytes; the offsets say where in a pixel red, green and blue are.
    case packedRGB(bytesPerPixel: Int, red: Int, green: Int, blue: Int)
    /// Plane 0 holds a JPEG of `bytesPerRow` bytes; it must be decoded before its pixels can be read.
    case jpeg

    /// Pixels of R, G, B.
    public static let rgb24 = PixelFormat.packedRGB(bytesPerPixel: 3, red: 0, green: 1, blue: 2)
    /// Pixels of B, G, R.
    public static let bgr24 = PixelFormat.packedRGB(bytesPerPixel: 3, red: 2, green: 1, blue: 0)
    /// Pixels of B, G, R and an unused fourth byte.
    public static let bgra = PixelFormat.packedRGB(bytesPerPixel: 4, red: 2, green: 1, blue: 0)
    /// Pixels of R, G, B and an unused fourth byte.
    public static let rgba = PixelFormat.packedRGB(bytesPerPixel: 4, red: 0, green: 1, blue: 2)
}

/// How YUV samples stand for colours.
public struct YUVEncoding: Hashable, Sendable {
    /// Which weights turn red, green and blue into brightness.
    public enum Matrix: Hashable, Sendable {
        /// ITU-R BT.601: standard definition, webcams, JPEG.
        case bt601
        /// ITU-R BT.709: high definition.
        case bt709

        /// The shares of red and blue in brightness, K_R and K_B of the recommendation; green has the rest.
        package var weights: (red: Double, blue: Double) {
            switch self {
            case .bt601: (0.299, 0.114)
            case .bt709: (0.2126, 0.0722)
            }
        }
    }

    /// The weights.
    public var matrix: Matrix

    /// Whether Y spans 0…255 (JPEG, most webcams' MJPG) and not 16…235 (video).
    public var isFullRange: Bool

    /// Makes an encoding from its weights and its range.
    public init(matrix: Matrix, isFullRange: Bool) {
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// What a YUV camera or clip means that does not say otherwise.
    public static let video = YUVEncoding(matrix: .bt601, isFullRange: false)
    /// What a JPEG means.
    public static let jpeg = YUVEncoding(matrix: .bt601, isFullRange: true)
}

/// Pictures that follow each other without any header.
public struct RawPictures: Hashable, Sendable {
    /// Their size in pixels, rows without gaps.
    public var size: FrameSize

    /// How their pixels lie in memory.
    public var format: PixelFormat

    /// Pictures a second, if known.
    public var rate: Double?

    /// Makes a description of raw pictures.
    public init(size: FrameSize, format: PixelFormat, rate: Double? = nil) {
        self.size = size
        self.format = format
        self.rate = rate
    }
}

/// A picture's size in pixels.
public struct FrameSize: Hashable, Sendable {
    /// Pixels from left to right.
    public var width: Int

    /// Pixels from top to bottom.
    public var height: Int

    /// Makes a size from its width and height in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

extension FrameSize {
    /// The size that cameras are asked for unless a person asks for another: plenty for faces.
    package static let usual = FrameSize(width: 640, height: 480)
}

extension FrameSize: CustomStringConvertible {
    /// The size as people and settings write it: `640x480`.
    public var description: String { "\(width)x\(height)" }
}
