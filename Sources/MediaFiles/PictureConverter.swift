import CFFmpeg

/// Converts pictures in formats that `Frame` does not know, into memory that is used again and again.
final class PictureConverter {
    private var scaler: OpaquePointer?
    private var pool: OpaquePointer?
    private var pooledBytes = 0

    deinit {
        sws_freeContext(scaler)
        av_buffer_pool_uninit(&pool)
    }

    /// Converts into `target`, an empty frame, which gets memory of the pool; same size.
    ///
    /// - Returns: false if memory is short or FFmpeg cannot convert it.
    func convert(
        _ source: UnsafeMutablePointer<AVFrame>,
        into target: UnsafeMutablePointer<AVFrame>,
        format: AVPixelFormat
    ) -> Bool {
        let (width, height) = (source.pointee.width, source.pointee.height)
        scaler = sws_getCachedContext(
            scaler,
            width,
            height,
            AVPixelFormat(source.pointee.format),
            width,
            height,
            format,
            SWS_POINT,
            nil,
            nil,
            nil
        )
        guard let scaler, prepare(target, width: width, height: height, format: format) else { return false }
        av_frame_copy_props(target, source)
        return sws_scale_frame(scaler, target, source) >= 0
    }

    /// Gives the frame a buffer of the pool, rows aligned for vector instructions.
    private func prepare(
        _ target: UnsafeMutablePointer<AVFrame>,
        width: Int32,
        height: Int32,
        format: AVPixelFormat
    ) -> Bool {
        let bytes = Int(av_image_get_buffer_size(format, width, height, Self.alignment))
        // Some of swscale's loops write a few bytes past the last row.
        guard bytes > 0, renewPool(bytes: bytes + 64), let buffer = av_buffer_pool_get(pool) else { return false }
        target.pointee.buf.0 = buffer
        target.pointee.width = width
        target.pointee.height = height
        target.pointee.format = format.rawValue
        return withUnsafeMutablePointer(to: &target.pointee.data) { data in
            withUnsafeMutablePointer(to: &target.pointee.linesize) { strides in
                data.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 8) { data in
                    strides.withMemoryRebound(to: Int32.self, capacity: 8) { strides in
                        av_image_fill_arrays(
                            data,
                            strides,
                            buffer.pointee.data,
                            format,
                            width,
                            height,
                            Self.alignment
                        ) >= 0
                    }
                }
            }
        }
    }

    /// Makes a new pool if the size changed. The old one lives on until its last buffer is given back.
    private func renewPool(bytes: Int) -> Bool {
        guard bytes != pooledBytes || pool == nil else { return true }
        av_buffer_pool_uninit(&pool)
        pool = av_buffer_pool_init(bytes, nil)
        pooledBytes = bytes
        return pool != nil
    }

    private static let alignment: Int32 = 32
}
