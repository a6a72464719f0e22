import CTurboJPEG

/// Turns frames into upright JPEGs for people to look at.
///
/// Full-range planar YUV (what `JPEGDecoder` makes), gray and RGB frames that are upright and small enough go to the
/// codec as they are; everything else is drawn into RGB first. Memory is used again. Not for use from two threads at once.
package final class JPEGEncoder {
    /// How good the pictures are, 1…100.
    package let quality: Int

    /// Pictures wider than this many pixels are made smaller; nil: none are.
    package let maximumWidth: Int?

    private let handle: tjhandle
    private let decoder: JPEGDecoder
    private var drawn = PixelMemoryPool()
    private var output = PixelMemory(byteCount: 64 * 1024)

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - quality: 1…100.
    ///   - maximumWidth: pixels of the upright picture, at least 16; nil to keep the frame's own width.
    /// - Throws: `outOfMemory`.
    package init(quality: Int = 80, maximumWidth: Int? = nil) throws(JPEGError) {
        precondition((1...100).contains(quality), "a JPEG's quality is between 1 and 100")
        precondition((maximumWidth ?? 16) >= 16, "a JPEG is at least 16 pixels wide")
        decoder = try JPEGDecoder()
        guard let handle = tjInitCompress() else { throw .outOfMemory }
        self.handle = handle
        self.quality = quality
        self.maximumWidth = maximumWidth
    }

    deinit { tjDestroy(handle) }

    /// Makes a JPEG of the frame: upright, not wider than `maximumWidth`.
    ///
    /// - Throws: `JPEGError`; for a frame in the format `.jpeg` also what `JPEGDecoder` throws.
    package func encode(_ frame: Frame) throws(JPEGError) -> [UInt8] {
        var frame = frame
        if frame.format == .jpeg {
            let wanted = targetSize(of: frame).width
            let decimation = JPEGDecoder.decimations.last { frame.uprightSize.width / $0 >= wanted } ?? 1
            frame = try decoder.decode(frame, decimation: decimation)
        }
        let target = targetSize(of: frame)
        let byteCount =
            if frame.orientation == .up, target == frame.size, let direct = try encodeDirectly(frame) {
                direct
            } else {
                try encodeDrawn(frame, target)
            }
        return [UInt8](UnsafeRawBufferPointer(start: output.base, count: byteCount))
    }

    private func targetSize(of frame: Frame) -> FrameSize {
        let upright = frame.uprightSize
        guard let maximumWidth, upright.width > maximumWidth else { return upright }
        return FrameSize(width: maximumWidth, height: max(1, upright.height * maximumWidth / upright.width))
    }

    /// Encodes without touching a pixel; nil if the format or the encoding needs drawing.
    private func encodeDirectly(_ frame: Frame) throws(JPEGError) -> Int? {
        switch frame.format {
        case .planarYUV where frame.encoding == .jpeg: try encodePlanes(frame)
        case .gray where frame.encoding.isFullRange:
            try encodePacked(frame.planes.0, frame.size, TJPF_GRAY, .gray)
        case .packedRGB(let bytes, let red, let green, let blue):
            if let format = Self.packedFormats[[bytes, red, green, blue]] {
                try encodePacked(frame.planes.0, frame.size, format, .yuv420)
            } else {
                nil
            }
        default: nil
        }
    }

    /// By the bytes per pixel and the offsets of red, green and blue.
    private static let packedFormats: [[Int]: TJPF] = [
        [3, 0, 1, 2]: TJPF_RGB, [3, 2, 1, 0]: TJPF_BGR, [4, 0, 1, 2]: TJPF_RGBX, [4, 2, 1, 0]: TJPF_BGRX,
        [4, 1, 2, 3]: TJPF_XRGB, [4, 3, 2, 1]: TJPF_XBGR,
    ]

    private func encodePlanes(_ frame: Frame) throws(JPEGError) -> Int? {
        // With odd sizes the codec would read a padding row or column that the frame need not have.
        guard let subsampling = JPEGSubsampling.all.first(where: { $0.format == frame.format }), let u = frame.planes.1,
            let v = frame.planes.2,
            frame.size.width % 4 == 0, frame.size.height % 2 == 0, min(u.bytesPerRow, v.bytesPerRow) > 0
        else { return nil }
        reserveOutput(frame.size, subsampling)
        var planes: (UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?) =
            (frame.planes.0.bytes, u.bytes, v.bytes)
        var strides = (Int32(frame.planes.0.bytesPerRow), Int32(u.bytesPerRow), Int32(v.bytesPerRow))
        return try compress { bytes, count in
            withUnsafeMutablePointer(to: &planes) { planes in
                withUnsafeMutablePointer(to: &strides) { strides in
                    tjCompressFromYUVPlanes(
                        handle,
                        UnsafeMutableRawPointer(planes).assumingMemoryBound(to: UnsafePointer<UInt8>?.self),
                        Int32(frame.size.width),
                        UnsafeMutableRawPointer(strides).assumingMemoryBound(to: Int32.self),
                        Int32(frame.size.height),
                        subsampling.code,
                        bytes,
                        count,
                        Int32(quality),
                        TJFLAG_NOREALLOC
                    )
                }
            }
        }
    }

    private func encodePacked(
        _ plane: Frame.Plane,
        _ size: FrameSize,
        _ format: TJPF,
        _ subsampling: JPEGSubsampling
    ) throws(JPEGError) -> Int? {
        guard plane.bytesPerRow > 0 else { return nil }
        reserveOutput(size, subsampling)
        return try compress { bytes, count in
            tjCompress2(
                handle,
                plane.bytes,
                Int32(size.width),
                Int32(plane.bytesPerRow),
                Int32(size.height),
                Int32(format.rawValue),
                bytes,
                count,
                subsampling.code,
                Int32(quality),
                TJFLAG_NOREALLOC
            )
        }
    }

    private func encodeDrawn(_ frame: Frame, _ target: FrameSize) throws(JPEGError) -> Int {
        let memory = drawn.take(byteCount: target.width * target.height * 3)
        let pixels = memory.base.assumingMemoryBound(to: UInt8.self)
        guard frame.drawUpright(into: pixels, of: target),
            let count = try encodePacked(
                Frame.Plane(base: memory.base, bytesPerRow: target.width * 3),
                target,
                TJPF_RGB,
                .yuv420
            )
        else { throw .notEncodable("the frame lacks planes that its format \(frame.format) has") }
        return count
    }

    private func reserveOutput(_ size: FrameSize, _ subsampling: JPEGSubsampling) {
        let needed = Int(tjBufSize(Int32(size.width), Int32(size.height), subsampling.code))
        if output.byteCount < needed { output = PixelMemory(byteCount: needed) }
    }

    private func compress(
        _ call: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>) -> Int32
    ) throws(JPEGError) -> Int {
        var bytes: UnsafeMutablePointer<UInt8>? = output.base.assumingMemoryBound(to: UInt8.self)
        var count = UInt(output.byteCount)
        guard call(&bytes, &count) == 0 else { throw .notEncodable(String(cString: tjGetErrorStr2(handle))) }
        return Int(count)
    }
}
