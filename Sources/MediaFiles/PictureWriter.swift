import CFFmpeg
import FaceMetadata
package import Frames
import System

/// Writes pictures as PNG or JPEG files, by the ending of the file's name.
package enum PictureWriter {
    package static let knownEndings = ["png", "jpg", "jpeg"]

    /// Writes a frame as an upright picture.
    ///
    /// A frame that is a JPEG and upright becomes a JPEG file byte by byte. The file appears under its name only when it
    /// is whole; one that was there is replaced.
    ///
    /// - Throws: `SourceFailure` if the ending is unknown, the file cannot be written or the frame is damaged.
    package static func write(_ frame: Frame, to path: String) throws(SourceFailure) {
        let ending = MediaLocation.ending(of: path)
        guard knownEndings.contains(ending) else { throw .unknownExtension(path, known: knownEndings) }
        let isJPEG = ending != "png"
        if isJPEG, frame.format == .jpeg, frame.orientation == .up {
            try write(UnsafeRawBufferPointer(start: frame.planes.0.base, count: frame.planes.0.bytesPerRow), to: path)
            return
        }
        let bytes = try encode(frame, isJPEG: isJPEG, path: path)
        // A result, as the array's method throws errors of any type only.
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(SourceFailure) in try write(bytes, to: path) }
        }.get()
    }

    private static func encode(_ frame: Frame, isJPEG: Bool, path: String) throws(SourceFailure) -> [UInt8] {
        try FFmpeg.load()
        let target = FrameScaler.Target(
            format: isJPEG
                ? jpegFormat(for: frame.format) : frame.format == .gray ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24,
            size: frame.uprightSize,
            encoding: .jpeg
        )
        let encoder = try VideoEncoder(
            anyOf: [isJPEG ? "mjpeg" : "png"],
            settings: .init(
                target: target,
                timeBase: AVRational(num: 1, den: 25),
                rate: 25,
                quantizer: isJPEG ? 2 : nil
            ),
            path: path
        )
        var bytes: [UInt8] = []
        let result = try FrameScaler().convert(frame, to: target, path: path) { picture in
            encoder.encode(picture) { packet in
                bytes += UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
                return 0
            }
        }
        guard result >= 0, !bytes.isEmpty else { throw .unencodable(path, FFmpeg.text(result)) }
        return bytes
    }

    /// Halved chroma where the frame has no more; full chroma for RGB, so that drawn lines stay sharp.
    private static func jpegFormat(for format: PixelFormat) -> AVPixelFormat {
        switch format {
        case .planarYUV(chromaShiftX: 0, chromaShiftY: 0), .packedRGB: AV_PIX_FMT_YUVJ444P
        case .planarYUV(chromaShiftX: 1, chromaShiftY: 0), .yuyv: AV_PIX_FMT_YUVJ422P
        default: AV_PIX_FMT_YUVJ420P
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SourceFailure) {
        do {
            try PendingFile.write(bytes, to: path)
        } catch {
            throw .unwritable(path, error.reason)
        }
    }
}
