/// The layout of a frame's pixels in memory. Samples have 8 bits.
public enum PixelFormat: Hashable, Sendable {
    /// One plane of brightness.
    case gray
    /// Three planes Y, U, V. U and V are smaller by 2 to the power of the shifts (I420: 1, 1; I422: 1, 0; I444: 0, 0).
    case planarYUV(chromaShiftX: Int, chromaShiftY: Int)
    /// A plane of Y, and a plane of interleaved U and V with half the width and height.
    case nv12
    /// One plane of Y0 U Y1 V, in which two neighbouring pixels share U and V.
    case yuyv
    /// One plane of pixels of `bytesPerPixel` bytes. `red`, `green` and `blue` are the byte offsets within a pixel.
    case packedRGB(bytesPerPixel: Int, red: Int, green: Int, blue: Int)
    /// A JPEG, stored in one plane. It must be decoded before its pixels can be read.
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
