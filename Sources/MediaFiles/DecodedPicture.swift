import CFFmpeg
import FaceMetadata
import Frames

/// A reference to a decoded picture in the decoder's memory; its end gives the memory back to FFmpeg's pool.
///
/// `@unchecked Sendable`: after `init` nobody writes to the picture. FFmpeg counts references atomically, and a decoder
/// that wants to draw on into a picture which somebody else holds copies it first.
final class DecodedPicture: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVFrame>

    /// Takes the picture out of the decoder's frame, which is empty afterwards.
    init?(taking source: UnsafeMutablePointer<AVFrame>) {
        guard let pointer = av_frame_alloc() else { return nil }
        av_frame_move_ref(pointer, source)
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }

    /// Its size in pixels, as stored.
    var size: FrameSize { FrameSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height)) }

    /// The picture as a frame, without copying; nil if its format has no counterpart or a plane is missing.
    func frame(stamp: FrameStamp, orientation: Orientation, encoding: YUVEncoding) -> Frame? {
        guard let format = PictureLayout.direct(AVPixelFormat(pointer.pointee.format)), let first = plane(0) else {
            return nil
        }
        let planes: (Frame.Plane, Frame.Plane?, Frame.Plane?)
        switch format {
        case .planarYUV:
            guard let second = plane(1), let third = plane(2) else { return nil }
            planes = (first, second, third)
        case .nv12:
            guard let second = plane(1) else { return nil }
            planes = (first, second, nil)
        case .gray, .yuyv, .packedRGB, .jpeg:
            planes = (first, nil, nil)
        }
        return Frame(
            stamp: stamp,
            captured: .now,
            size: size,
            format: format,
            encoding: encoding,
            orientation: orientation,
            planes: planes,
            lease: self
        )
    }

    private func plane(_ index: Int) -> Frame.Plane? {
        let (data, strides) = (pointer.pointee.data, pointer.pointee.linesize)
        let (base, stride) =
            switch index {
            case 0: (data.0, strides.0)
            case 1: (data.1, strides.1)
            default: (data.2, strides.2)
            }
        return base.map { Frame.Plane(base: UnsafeRawPointer($0), bytesPerRow: Int(stride)) }
    }
}
