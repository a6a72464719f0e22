import CFFmpeg
import Glibc

/// An input of FFmpeg's whose bytes a function of this process gives.
final class ByteInput {
    /// Writes up to a count of bytes to a place. Returns how many it wrote, or FFmpeg's error number.
    typealias Read = (_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Int32

    /// What FFmpeg reads from, valid as long as this object; nil without memory.
    private(set) var io: UnsafeMutablePointer<AVIOContext>?
    private let read: Read

    /// Makes an input with a buffer of `bufferSize` bytes.
    init(bufferSize: CInt, _ read: @escaping Read) {
        self.read = read
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
}
