/// The layout of a frame's pixels in memory, with 8 bits a sample.
public enum PixelFormat: Hashable, Sendable {
    /// One plane of brightness.
    case gray
    /// Three planes Y, U, V; chroma is smaller by these powers of two (I420 is 1, 1; I422 1, 0; I444 0, 0).
    case planarYUV(chromaShiftX: Int, chromaShiftY: Int)
    /// A Y plane and one plane of interleaved U, V, both halved in width and height.
    case nv12
    /// One plane of Y0 U Y1 V: two pixels share their chroma.
    case yuyv
    /// One plane of pixels of `bytesPerPixel` bytes; the offsets say where in a pixel red, green and blue are.
    case packedRGB(bytesPerPixel: Int, red: Int, green: Int, blue: Int)
    /// A JPEG of `bytesPerRow` bytes in plane 0; it must be decoded before its pixels can be read.
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
