import CTurboJPEG

/// Decodes JPEG frames straight to planar YUV, without converting to RGB. Can scale them down while decoding.
///
/// JPEGs without Huffman tables, which webcams send to save bytes, get the standard tables. Only one thread may use a
/// decoder at a time. The memory of a decoded frame is reused once the last copy of the frame is gone.
package final class JPEGDecoder {
    /// The divisors of width and height by which the decoder can scale a picture down.
    package static let decimations = [1, 2, 4, 8]
    /// The default maximum number of pixels of a picture: somewhat more than in 8K (33 million), or 60 MB as I420.
    package static let defaultMaximumPixels = 40_000_000
    /// The flags for TurboJPEG. They limit the number of scans of a progressive JPEG, each of which costs time.
    private static let flags = TJFLAG_LIMITSCANS
    /// The alignment of the rows of decoded planes, in bytes: a cache line.
    private static let alignment: Int32 = 64

    /// The maximum number of pixels of a frame. A larger frame is refused before memory is allocated.
    package var maximumPixels = Int.max
    private var handle: tjhandle
    private var pool = PixelMemoryPool()

    /// Makes a decoder, which allocates no picture memory before the first picture.
    /// - Throws: `outOfMemory`.
    package init() throws(JPEGError) {
        guard let handle = tjInitDecompress() else { throw .outOfMemory }
        self.handle = handle
    }

    deinit { tjDestroy(handle) }

    /// Reads the picture's size from a JPEG's header, without decoding the picture.
    /// - Throws: `corrupt` if the bytes are no JPEG or end within the header.
    package func size(of jpeg: UnsafeRawBufferPointer) throws(JPEGError) -> FrameSize {
        try readHeader(jpeg).size
    }

    private func readHeader(
        _ jpeg: UnsafeRawBufferPointer
    ) throws(JPEGError) -> (size: FrameSize, subsampling: Int32, colorSpace: Int32) {
        var (width, height, subsampling, colorSpace): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        let bytes = jpeg.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let count = UInt(jpeg.count)
        guard tjDecompressHeader3(handle, bytes, count, &width, &height, &subsampling, &colorSpace) == 0 else {
            throw corrupt(errorText)
        }
        guard width > 0, height > 0 else { throw corrupt("it ends before the picture starts") }
        return (FrameSize(width: Int(width), height: Int(height)), subsampling, colorSpace)
    }

    /// Decodes the bytes of a JPEG file, scaled down to about the size at which the picture is drawn.
    /// - Parameters:
    ///   - jpeg: The file's bytes.
    ///   - target: The size in pixels at which the picture is drawn, below which it is not scaled; nil for full size.
    /// - Returns: A frame in memory that the decoder owns.
    /// - Throws: `JPEGError`, such as `tooLarge` for more than `maximumPixels` or `defaultMaximumPixels`.
    package func decode(_ jpeg: [UInt8], for target: FrameSize? = nil) throws(JPEGError) -> Frame {
        try jpeg.span.withUnsafeBytes { jpeg throws(JPEGError) in
            let size = try size(of: jpeg)
            guard size.width * size.height <= Self.defaultMaximumPixels, let base = jpeg.baseAddress else {
                throw .tooLarge(size, limit: Self.defaultMaximumPixels)
            }
            let plane = Frame.Plane(base: base, bytesPerRow: jpeg.count)
            let decimation = target.flatMap { target in
                Self.decimations.last { size.width / $0 >= target.width && size.height / $0 >= target.height }
            }
            let frame = Frame(borrowing: plane, size: size, format: .jpeg, mediaTime: 0)
            return try decode(frame, decimation: decimation ?? 1)
        }
    }

    /// Decodes a JPEG frame to `.gray` or `.planarYUV`, in the JPEG's own chroma subsampling and in full range.
    ///
    /// The decoded frame keeps the stamp, capture time and orientation of the JPEG frame.
    /// - Parameters:
    ///   - frame: A frame in the format `.jpeg`. Its size is the one negotiated with the source.
    ///   - decimation: The divisor of width and height, 1, 2, 4 or 8. The resulting size is rounded up.
    ///   - isGray: Whether only the brightness is decoded, which is faster.
    /// - Returns: A frame in memory that the decoder owns.
    /// - Throws: `JPEGError`, such as `corrupt` for an incomplete picture. The decoder can still decode the next frame.
    package func decode(_ frame: Frame, decimation: Int = 1, isGray: Bool = false) throws(JPEGError) -> Frame {
        precondition(Self.decimations.contains(decimation), "a JPEG can be divided by 1, 2, 4 or 8")
        guard case .jpeg = frame.format else { throw .notJPEG(frame.format) }
        guard frame.size.width * frame.size.height <= maximumPixels else {
            throw .tooLarge(frame.size, limit: maximumPixels)
        }
        let jpeg = UnsafeRawBufferPointer(start: frame.planes.first.base, count: frame.planes.first.bytesPerRow)
        let (stored, code, colorSpace) = try readHeader(jpeg)
        guard colorSpace == TJCS_YCbCr.rawValue || colorSpace == TJCS_GRAY.rawValue,
            let format = jpegFormats[UInt32(bitPattern: code)]
        else { throw .unsupported("its colours are not YUV or gray, or are subsampled in a way of its own") }
        // Some cameras round the size up to whole blocks (1088 rows for 1080). Other sizes mean a damaged header.
        guard 0..<16 ~= stored.width - frame.size.width, 0..<16 ~= stored.height - frame.size.height else {
            throw .sizeMismatch(expected: frame.size, found: stored)
        }
        func scaled(_ length: Int) -> Int { (length + decimation - 1) / decimation }
        let (width, height) = (Int32(scaled(stored.width)), Int32(scaled(stored.height)))
        let subsampling = isGray ? Int32(TJSAMP_GRAY.rawValue) : code
        let memory = pool.lend(byteCount: Int(tjBufSizeYUV2(width, Self.alignment, height, subsampling)))
        var next = UnsafeRawPointer(memory.base)
        func plane(_ component: Int32) -> Frame.Plane {
            let stride = Int((tjPlaneWidth(component, width, subsampling) + Self.alignment - 1) & ~(Self.alignment - 1))
            defer { next += stride * Int(tjPlaneHeight(component, height, subsampling)) }
            return Frame.Plane(base: next, bytesPerRow: stride)
        }
        var decoded = frame
        decoded.size = FrameSize(width: scaled(frame.size.width), height: scaled(frame.size.height))
        decoded.format = isGray ? .gray : format
        decoded.encoding = .jpeg
        let hasChroma = decoded.format != .gray
        decoded.planes = hasChroma ? Frame.Planes(plane(0), plane(1), plane(2)) : Frame.Planes(plane(0))
        decoded.lease = memory
        let bytes = jpeg.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let count = UInt(jpeg.count)
        let target = memory.base.assumingMemoryBound(to: UInt8.self)
        let stride = Int32(decoded.planes.first.bytesPerRow)
        let gray = Int32(TJPF_GRAY.rawValue)
        let result =
            if hasChroma {
                tjDecompressToYUV2(handle, bytes, count, target, width, Self.alignment, height, Self.flags)
            } else {
                tjDecompress2(handle, bytes, count, target, width, stride, height, gray, Self.flags)
            }
        // Padding before the end is common and harmless. All other warnings mean a damaged picture.
        let isPadding =
            tjGetErrorCode(handle) == TJERR_WARNING.rawValue
            && errorText.contains("extraneous bytes before marker 0xd9")
        guard result == 0 || isPadding else { throw corrupt(errorText) }
        return decoded
    }

    private var errorText: String { String(cString: tjGetErrorStr2(handle)) }

    /// Makes the error for an unreadable picture. Replaces the codec, which would otherwise refuse all later pictures.
    private func corrupt(_ words: String) -> JPEGError {
        if let fresh = tjInitDecompress() {
            tjDestroy(handle)
            handle = fresh
        }
        return .corrupt(words)
    }
}
