import CFFmpeg
public import Frames

/// A picture as rows of R, G, B in memory of its own, upright, for those who draw on pictures.
public struct RGBPicture: Sendable {
    /// The size in pixels.
    public var size: FrameSize

    /// Three bytes a pixel, rows from the top, no gaps.
    public var bytes: [UInt8]

    /// Makes a picture from its pixels; `bytes` holds three for each.
    public init(size: FrameSize, bytes: [UInt8]) {
        precondition(bytes.count == size.width * size.height * 3, "a pixel has three bytes")
        self.size = size
        self.bytes = bytes
    }

    /// Converts a frame of any format.
    ///
    /// - Throws: `MediaError` if the frame is a damaged JPEG.
    public init(_ frame: Frame) throws(MediaError) {
        let size = frame.uprightSize
        let rowBytes = size.width * 3
        do throws(FrameScaler.Failure) {
            let target = FrameScaler.Target(format: AV_PIX_FMT_RGB24, size: size, encoding: .jpeg)
            bytes = try FrameScaler().convert(frame, to: target) { picture in
                guard let base = picture.pointee.data.0 else { return [] }
                let stride = Int(picture.pointee.linesize.0)
                return [UInt8](unsafeUninitializedCapacity: rowBytes * size.height) { buffer, count in
                    for y in 0..<size.height {
                        buffer.baseAddress?.advanced(by: y * rowBytes).update(from: base + y * stride, count: rowBytes)
                    }
                    count = rowBytes * size.height
                }
            }
        } catch {
            throw .undecodable(name: "a frame", reason: error.reason)
        }
        self.size = size
    }
}
