import CFFmpeg
import Frames

/// A picture's memory that is filled again and again, renewed when its form changes.
final class ReusedPicture {
    private var frame: UnsafeMutablePointer<AVFrame>?

    deinit { av_frame_free(&frame) }

    /// The memory in this form, writable; nil if there is not enough.
    func prepare(format: AVPixelFormat, size: FrameSize) -> UnsafeMutablePointer<AVFrame>? {
        if let frame, frame.pointee.format == format.rawValue, Int(frame.pointee.width) == size.width,
            Int(frame.pointee.height) == size.height, av_frame_make_writable(frame) >= 0
        {
            return frame
        }
        av_frame_free(&frame)
        frame = av_frame_alloc()
        frame?.pointee.format = format.rawValue
        frame?.pointee.width = Int32(size.width)
        frame?.pointee.height = Int32(size.height)
        return frame.flatMap { av_frame_get_buffer($0, 0) >= 0 ? $0 : nil }
    }
}
