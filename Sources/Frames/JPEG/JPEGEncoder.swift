import CTurboJPEG

/// Turns frames into upright JPEGs for people to look at.
///
/// Upright frames of full-range planar YUV or packed RGB are encoded without a copy if they need no scaling. Other
/// frames are first converted to packed RGB. Only one thread may use an encoder at a time.
package final class JPEGEncoder {
    /// The JPEG quality, 1…100.
    package let quality: Int
    /// The width, in pixels, to which wider pictures are scaled down; nil for no limit.
    package let maximumWidth: Int?
    /// The chroma subsampling of JPEGs that are made from packed RGB.
    private let colors: TJSAMP
    private let handle: tjhandle
    private let decoder: JPEGDecoder
    private var drawn = PixelMemoryPool()
    private var output = PixelMemory(byteCount: 64 * 1024)

    /// Makes an encoder with a quality of 1…100 and a maximum width of at least 16 pixels. With `halvesChroma`, JPEGs
    /// made from packed RGB have half the chroma resolution, which blurs drawn lines.
    /// - Throws: `outOfMemory`.
    package init(quality: Int = 80, maximumWidth: Int? = nil, halvesChroma: Bool = true) throws(JPEGError) {
        precondition((1...100).contains(quality), "a JPEG's quality is between 1 and 100")
        precondition((maximumWidth ?? 16) >= 16, "a JPEG is at least 16 pixels wide")
        decoder = try JPEGDecoder()
        guard let handle = tjInitCompress() else { throw .outOfMemory }
        (self.handle, self.quality, self.maximumWidth) = (handle, quality, maximumWidth)
        colors = halvesChroma ? TJSAMP_420 : TJSAMP_444
    }

    deinit { tjDestroy(handle) }

    /// Encodes the frame as a JPEG, upright and at most `maximumWidth` pixels wide.
    /// - Throws: `JPEGError`, also for a frame in the format `.jpeg` that cannot be decoded.
    package func encode(_ frame: Frame) throws(JPEGError) -> [UInt8] {
        var frame = frame
        if frame.format == .jpeg {
            let wanted = frame.uprightSize.limited(toWidth: maximumWidth).width
            let decimation = JPEGDecoder.decimations.last { frame.uprightSize.width / $0 >= wanted } ?? 1
            frame = try decoder.decode(frame, decimation: decimation)
        }
        let size = frame.uprightSize.limited(toWidth: maximumWidth)
        let isDirect = frame.orientation == .up && size == frame.size
        let planar = isDirect ? Self.subsampling(of: frame) : nil
        var packed = isDirect && frame.planes.first.bytesPerRow > 0 ? Self.packedFormats[frame.format] : nil
        let subsampling = planar ?? (frame.format == .gray ? TJSAMP_GRAY : colors).rawValue
        if planar == nil, packed == nil {
            let picture = isDirect ? frame.drawnAsStored(in: &drawn) : frame.drawnUpright(of: size, in: &drawn)
            guard let picture else {
                throw .notEncodable("the frame lacks planes that its format \(frame.format) has")
            }
            frame = picture
            packed = Self.packedFormats[frame.format]
        }
        defer { withExtendedLifetime(frame) {} }
        var bases: [UnsafePointer<UInt8>?] = frame.planes.all.map { $0.bytes }
        var strides = frame.planes.all.map { Int32($0.bytesPerRow) }
        let (width, height, code) = (Int32(size.width), Int32(size.height), Int32(subsampling))
        let (rate, flags, format) = (Int32(quality), TJFLAG_NOREALLOC, Int32((packed ?? TJPF_RGB).rawValue))
        let needed = Int(tjBufSize(width, height, code))
        if output.byteCount < needed { output = PixelMemory(byteCount: needed) }
        var bytes: UnsafeMutablePointer<UInt8>? = output.base.assumingMemoryBound(to: UInt8.self)
        var count = UInt(output.byteCount)
        let result =
            planar != nil
            ? tjCompressFromYUVPlanes(handle, &bases, width, &strides, height, code, &bytes, &count, rate, flags)
            : tjCompress2(handle, bases[0], width, strides[0], height, format, &bytes, &count, code, rate, flags)
        guard result == 0 else { throw .notEncodable(String(cString: tjGetErrorStr2(handle))) }
        let made = [UInt8](UnsafeRawBufferPointer(start: output.base, count: Int(count)))
        return frame.colors.map { Self.stating($0.profile, in: made) } ?? made
    }

    /// Returns the JPEG with an ICC profile inserted after its first segment. Large profiles take several segments.
    private static func stating(_ profile: [UInt8], in jpeg: [UInt8]) -> [UInt8] {
        let most = 65_519
        let pieces = (profile.count + most - 1) / most
        guard 1...255 ~= pieces, jpeg.count > 6, jpeg[3] == 0xE0 else { return jpeg }
        let end = 4 + Int(jpeg[4]) << 8 + Int(jpeg[5])
        let segments = (0..<pieces).map { index -> [UInt8] in
            let piece = profile[(index * most)..<min(profile.count, (index + 1) * most)]
            let length = piece.count + 16
            let name = Array("ICC_PROFILE\0".utf8)
            return [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + name + [UInt8(index + 1), UInt8(pieces)]
                + piece
        }
        return Array(jpeg[..<end]) + segments.joined() + jpeg[end...]
    }

    /// The chroma subsampling of the frame's planes; nil if the codec cannot read them without a conversion.
    private static func subsampling(of frame: Frame) -> UInt32? {
        // With other sizes the codec would read padding rows or columns, which the frame may lack.
        guard frame.encoding == .jpeg, frame.size.width % 4 == 0, frame.size.height % 2 == 0,
            let u = frame.planes.second, let v = frame.planes.third, min(u.bytesPerRow, v.bytesPerRow) > 0
        else { return nil }
        return jpegFormats.first { $0.value == frame.format }?.key
    }

    /// The packed formats that the codec can read directly.
    private static let packedFormats: [PixelFormat: TJPF] = [
        .rgb24: TJPF_RGB, .bgr24: TJPF_BGR, .rgba: TJPF_RGBX, .bgra: TJPF_BGRX,
    ]
}
