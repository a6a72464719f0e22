import CFFmpeg

/// Writes pictures as PNG or JPEG files, depending on the ending of the file's name.
package enum PictureWriter {
    package static let knownEndings = ["png", "jpg", "jpeg"]

    /// Writes a frame as an upright picture. An upright JPEG is copied to a JPEG file as it is. The file replaces an
    /// existing one only once it is complete.
    /// - Throws: `SourceFailure` if the ending is unknown, the file cannot be written or the frame is damaged.
    package static func write(_ frame: Frame, to path: String) throws(SourceFailure) {
        let ending = MediaLocation.ending(of: path)
        guard knownEndings.contains(ending) else { throw .unknownExtension(path, known: knownEndings) }
        let bytes = ending == "png" ? try png(frame, path) : try jpeg(frame, path)
        try failing(as: { SourceFailure.unwritable(path, $0.reason) }) { () throws(SystemError) in
            try bytes.span.withUnsafeBytes { bytes throws(SystemError) in try PendingFile.write(bytes, to: path) }
        }
    }

    private static func jpeg(_ frame: Frame, _ path: String) throws(SourceFailure) -> [UInt8] {
        if frame.format == .jpeg, frame.orientation == .up {
            let plane = frame.planes.first
            return [UInt8](UnsafeRawBufferPointer(start: plane.base, count: plane.bytesPerRow))
        }
        do { return try JPEGEncoder(quality: 95, halvesChroma: false).encode(frame) } catch {
            throw .unencodable(path, error.description)
        }
    }

    private static func png(_ frame: Frame, _ path: String) throws(SourceFailure) -> [UInt8] {
        try FFmpeg.load()
        let keepsOpacity = frame.hasOpacity && frame.orientation == .up
        let format = keepsOpacity ? AV_PIX_FMT_RGBA : frame.format == .gray ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24
        let target = PictureForm(format: format, size: frame.uprightSize, encoding: .jpeg, colors: frame.colors)
        let encoder = try VideoEncoder(.png, target, rate: 25, path: path)
        var bytes: [UInt8] = []
        let result = try FrameScaler().convert(frame, to: target, path: path) { picture in
            if keepsOpacity, let pixels = picture.pointee.data.0 {
                frame.takeFromWhite(pixels, bytesPerRow: Int(picture.pointee.linesize.0))
            }
            return encoder.encode(picture) { packet in
                bytes += UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
                return 0
            }
        }
        guard result >= 0, !bytes.isEmpty else { throw .unencodable(path, FFmpeg.text(result)) }
        return bytes
    }
}
