import CTurboJPEG
import FaceMetadata

/// Turns JPEG frames into planar YUV, as MJPG cameras need: no detour over RGB, and smaller in the DCT where wanted.
///
/// JPEGs without Huffman tables, which webcams send to save bytes, get the standard ones. Not for use from two threads at
/// once. The memory of a decoded frame is used again when the frame's last copy is gone.
package final class JPEGDecoder {
    /// The divisors of width and height that the DCT can do on the way.
    package static let decimations = [1, 2, 4, 8]

    /// How many pixels a picture of a camera, a clip or a message may have unless the user says otherwise: somewhat
    /// more than the 33 million of 8K. As many pixels of planar YUV take 60 MB.
    package static let defaultMaximumPixels = 40_000_000

    /// A progressive JPEG may have any number of scans, each of which costs a pass over the picture.
    private static let flags = TJFLAG_LIMITSCANS

    private var handle: tjhandle
    private var pool = PixelMemoryPool()

    /// Makes a decoder; it allocates nothing before the first picture.
    ///
    /// - Throws: `outOfMemory`.
    package init() throws(JPEGError) {
        guard let handle = tjInitDecompress() else { throw .outOfMemory }
        self.handle = handle
    }

    deinit { tjDestroy(handle) }

    /// The largest divisor that leaves the picture at least that many pixels on its shorter side.
    package static func decimation(of size: FrameSize, keepingShortSide minimum: Int) -> Int {
        decimations.last { min(size.width, size.height) / $0 >= minimum } ?? 1
    }

    /// Reads the size that a JPEG's header states, and decodes nothing.
    ///
    /// - Returns: the size in pixels.
    /// - Throws: `corrupt` if the bytes are no JPEG or end within the header.
    package func size(of jpeg: UnsafeRawBufferPointer) throws(JPEGError) -> FrameSize {
        do throws(JPEGError) {
            return try readHeader(jpeg).size
        } catch {
            forgetDamage()
            throw error
        }
    }

    private func readHeader(
        _ jpeg: UnsafeRawBufferPointer
    ) throws(JPEGError) -> (size: FrameSize, subsampling: Int32, colorSpace: Int32) {
        var (width, height, subsampling, colorSpace): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        let bytes = jpeg.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard tjDecompressHeader3(handle, bytes, UInt(jpeg.count), &width, &height, &subsampling, &colorSpace) == 0
        else {
            throw .corrupt(errorText)
        }
        guard width > 0, height > 0 else { throw .corrupt("it ends before the picture starts") }
        return (FrameSize(width: Int(width), height: Int(height)), subsampling, colorSpace)
    }

    /// Decodes a JPEG out of memory, for drawing.
    ///
    /// - Parameters:
    ///   - jpeg: the file's bytes.
    ///   - target: how large it will be drawn, in pixels; the picture is made no smaller. Nil keeps all its pixels.
    ///   - maximumPixels: a larger one is refused by its header, before memory is allocated.
    /// - Returns: a frame over memory of the decoder's own.
    /// - Throws: `JPEGError`, `tooLarge` among them.
    package func decode(
        _ jpeg: [UInt8],
        for target: FrameSize? = nil,
        maximumPixels: Int = defaultMaximumPixels
    ) throws(JPEGError) -> Frame {
        // As a result: the array's method throws errors of any type only.
        try jpeg.withUnsafeBytes { bytes in
            Result { () throws(JPEGError) in try decode(bytes, for: target, maximumPixels) }
        }.get()
    }

    private func decode(
        _ jpeg: UnsafeRawBufferPointer,
        for target: FrameSize?,
        _ maximumPixels: Int
    ) throws(JPEGError) -> Frame {
        let size = try size(of: jpeg)
        guard size.width * size.height <= maximumPixels, let base = jpeg.baseAddress else {
            throw .tooLarge(size, limit: maximumPixels)
        }
        let frame = Frame(
            stamp: FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0),
            captured: .now,
            size: size,
            format: .jpeg,
            planes: (Frame.Plane(base: base, bytesPerRow: jpeg.count), nil, nil),
            // The caller's bytes outlive this call, and the decoded frame has memory of its own.
            lease: NoLease()
        )
        let decimation = target.flatMap { target in
            Self.decimations.last { size.width / $0 >= target.width && size.height / $0 >= target.height }
        }
        return try decode(frame, decimation: decimation ?? 1)
    }

    /// Decodes a JPEG frame to `.gray` or `.planarYUV` in the JPEG's own subsampling and full-range encoding.
    ///
    /// Stamp, capture time and orientation are the JPEG frame's.
    ///
    /// - Parameters:
    ///   - frame: a frame in the format `.jpeg`; its size is what the source negotiated.
    ///   - decimation: 1, 2, 4 or 8: what width and height are divided by, rounded up.
    ///   - isGray: whether only the brightness is decoded, which takes less time.
    /// - Returns: a frame over memory of the decoder's own.
    /// - Throws: `JPEGError`, `corrupt` for a picture that is not whole; the next frame may be decoded all the same.
    package func decode(_ frame: Frame, decimation: Int = 1, isGray: Bool = false) throws(JPEGError) -> Frame {
        precondition(Self.decimations.contains(decimation), "a JPEG can be divided by 1, 2, 4 or 8")
        guard case .jpeg = frame.format else { throw .notJPEG(frame.format) }
        do throws(JPEGError) {
            return try decodeWithHandle(frame, decimation, isGray)
        } catch {
            forgetDamage()
            throw error
        }
    }

    /// TurboJPEG stays in the middle of a header that it could not read, and would refuse every picture after it.
    private func forgetDamage() {
        guard let fresh = tjInitDecompress() else { return }
        tjDestroy(handle)
        handle = fresh
    }

    private func decodeWithHandle(_ frame: Frame, _ decimation: Int, _ isGray: Bool) throws(JPEGError) -> Frame {
        var header = try readHeader(frame)
        if isGray { header.subsampling = .gray }
        let layout = PlaneLayout(
            size: FrameSize(
                width: (header.stored.width + decimation - 1) / decimation,
                height: (header.stored.height + decimation - 1) / decimation
            ),
            subsampling: header.subsampling
        )
        let memory = pool.take(byteCount: layout.byteCount)
        try decompress(frame.planes.0, into: memory, layout)

        var decoded = frame
        decoded.size = FrameSize(
            width: (header.visible.width + decimation - 1) / decimation,
            height: (header.visible.height + decimation - 1) / decimation
        )
        decoded.format = header.subsampling.format
        decoded.encoding = .jpeg
        decoded.planes = layout.planes(in: memory.base)
        decoded.lease = memory
        return decoded
    }

    private struct Header {
        var stored: FrameSize
        var visible: FrameSize
        var subsampling: JPEGSubsampling
    }

    private func readHeader(_ frame: Frame) throws(JPEGError) -> Header {
        let plane = frame.planes.0
        let (stored, subsampling, colorSpace) = try readHeader(.init(start: plane.base, count: plane.bytesPerRow))
        guard colorSpace == TJCS_YCbCr.rawValue || colorSpace == TJCS_GRAY.rawValue,
            let known = JPEGSubsampling(code: subsampling)
        else { throw .unsupported("its colours are not YUV or gray, or are subsampled in a way of its own") }
        // Some cameras round the JPEG up to whole blocks: 1088 rows for 1080. Anything else is a damaged header, and
        // believing it could mean gigabytes.
        guard (0..<16).contains(stored.width - frame.size.width),
            (0..<16).contains(stored.height - frame.size.height)
        else { throw .sizeMismatch(expected: frame.size, found: stored) }
        return Header(stored: stored, visible: frame.size, subsampling: known)
    }

    private func decompress(
        _ jpeg: Frame.Plane,
        into memory: PixelMemory,
        _ layout: PlaneLayout
    ) throws(JPEGError) {
        let first = memory.base.assumingMemoryBound(to: UInt8.self)
        let result =
            layout.subsampling == .gray ? decompressGray(jpeg, first, layout) : decompressPlanes(jpeg, first, layout)
        guard result != 0 else { return }
        let words = errorText
        // Bytes of padding before the end are common and harmless; whatever else it warns of spoils the picture.
        if tjGetErrorCode(handle) == TJERR_WARNING.rawValue,
            words.contains("extraneous bytes before marker 0xd9")
        {
            return
        }
        throw .corrupt(words)
    }

    /// Decodes the brightness only; chroma in the JPEG is skipped.
    private func decompressGray(_ jpeg: Frame.Plane, _ first: UnsafeMutablePointer<UInt8>, _ layout: PlaneLayout)
        -> Int32
    {
        tjDecompress2(
            handle,
            jpeg.bytes,
            UInt(jpeg.bytesPerRow),
            first,
            Int32(layout.size.width),
            Int32(layout.strides.0),
            Int32(layout.size.height),
            Int32(TJPF_GRAY.rawValue),
            Self.flags
        )
    }

    private func decompressPlanes(
        _ jpeg: Frame.Plane,
        _ first: UnsafeMutablePointer<UInt8>,
        _ layout: PlaneLayout
    ) -> Int32 {
        // Fixed in size: arrays would be allocated anew for each frame.
        var planes: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?) =
            (first, first + layout.offsets.1, first + layout.offsets.2)
        var strides = (Int32(layout.strides.0), Int32(layout.strides.1), Int32(layout.strides.1))
        return withUnsafeMutablePointer(to: &planes) { planes in
            withUnsafeMutablePointer(to: &strides) { strides in
                tjDecompressToYUVPlanes(
                    handle,
                    jpeg.bytes,
                    UInt(jpeg.bytesPerRow),
                    UnsafeMutableRawPointer(planes).assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self),
                    Int32(layout.size.width),
                    UnsafeMutableRawPointer(strides).assumingMemoryBound(to: Int32.self),
                    Int32(layout.size.height),
                    Self.flags
                )
            }
        }
    }

    private var errorText: String { String(cString: tjGetErrorStr2(handle)) }
}

/// The lease of a frame that does not leave a call.
private final class NoLease: Sendable {}

/// Where the planes of a decoded JPEG lie in one piece of memory.
private struct PlaneLayout {
    let size: FrameSize
    let subsampling: JPEGSubsampling
    /// Bytes per row of the brightness and of each colour plane.
    let strides: (Int, Int)
    /// Where each plane starts.
    let offsets: (Int, Int, Int)
    let byteCount: Int

    init(size: FrameSize, subsampling: JPEGSubsampling) {
        self.size = size
        self.subsampling = subsampling
        func plane(_ component: Int32) -> (stride: Int, bytes: Int) {
            let width = Int(tjPlaneWidth(component, Int32(size.width), subsampling.code))
            let height = Int(tjPlaneHeight(component, Int32(size.height), subsampling.code))
            // Rows start on cache lines.
            let stride = (width + 63) & ~63
            return (stride, stride * height)
        }
        let luma = plane(0)
        let chroma = subsampling.planeCount == 3 ? plane(1) : (stride: 0, bytes: 0)
        strides = (luma.stride, chroma.stride)
        offsets = (0, luma.bytes, luma.bytes + chroma.bytes)
        byteCount = luma.bytes + 2 * chroma.bytes
    }

    func planes(in base: UnsafeMutableRawPointer) -> (Frame.Plane, Frame.Plane?, Frame.Plane?) {
        let luma = Frame.Plane(base: base, bytesPerRow: strides.0)
        guard subsampling.planeCount == 3 else { return (luma, nil, nil) }
        return (
            luma, Frame.Plane(base: base + offsets.1, bytesPerRow: strides.1),
            Frame.Plane(base: base + offsets.2, bytesPerRow: strides.1)
        )
    }
}
