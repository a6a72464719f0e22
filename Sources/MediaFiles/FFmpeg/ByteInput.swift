import CFFmpeg

/// An input for FFmpeg whose bytes a subclass provides.
class ByteInput {
    /// FFmpeg's handle for reading, valid as long as this object; nil if there was not enough memory.
    private(set) final var io: UnsafeMutablePointer<AVIOContext>?

    init(bufferSize: CInt) {
        io = ffmpeg.avio_alloc_context(
            ffmpeg.av_malloc(Int(bufferSize))?.assumingMemoryBound(to: UInt8.self),
            bufferSize,
            0,
            Unmanaged.passUnretained(self).toOpaque(),
            { opaque, bytes, count in
                guard let opaque, let bytes else { return FFmpeg.code(EINVAL) }
                return Unmanaged<ByteInput>.fromOpaque(opaque).takeUnretainedValue().read(bytes, count)
            },
            nil,
            nil
        )
    }

    deinit {
        if let io { ffmpeg.av_freep(&io.pointee.buffer) }
        ffmpeg.avio_context_free(&io)
    }

    /// Writes up to `count` bytes to `bytes`, for FFmpeg to read. Returns their number, or FFmpeg's error number.
    func read(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Int32 { facet_error_eof }
}
