import CFFmpeg
import FaceMetadata
package import Frames

/// Decodes single pictures out of files.
package enum StillPicture {
    /// Decodes a picture file, or the first frame of a clip at or after a media time.
    ///
    /// A PNG becomes `rgb24` or `rgba` (greyscale: `gray`), a JPEG its own YUV planes with full range. The orientation
    /// that the file states is in the frame. Its stamp has the frame's index and media time in a clip; `time` is that of
    /// the call. Blocks while it reads.
    ///
    /// - Parameters:
    ///   - path: a picture or a clip.
    ///   - mediaTime: in a clip, seconds from its first frame.
    /// - Returns: the picture; its memory is its own.
    /// - Throws: `MediaError` if the file cannot be opened, is damaged, or the clip ends before that time.
    package static func load(_ path: String, at mediaTime: Double = 0) throws(MediaError) -> Frame {
        let location = try MediaLocation(path)
        let reader = try ClipReader(location, interrupt: Interrupt(), options: ClipSource.Options(pace: .asap))
        var timeline = PresentationTimeline(rate: reader.input.rate)
        var index = 0
        while true {
            switch reader.next() {
            case .picture(let picture):
                let reached = timeline.mediaTime(presentation: picture.presentation)
                let stamp = FrameStamp(frame: index, time: .wallClock(), mediaTime: reached)
                index += 1
                // The wanted time may have been rounded on its way through a message, the reached one by the container.
                guard reached + 0.002 > mediaTime || reader.input.isStill else { continue }
                return picture.frame(stamp: stamp, options: ClipSource.Options())
            case .damaged: index += 1
            case .end:
                guard reader.completeness.decoded > 0, reader.completeness.readError == nil else {
                    throw .undecodable(
                        name: location.name,
                        reason: reader.completeness.problem ?? "its pictures cannot be represented"
                    )
                }
                throw .noPicture(name: location.name, mediaTime: mediaTime)
            }
        }
    }
}

/// A picture as rows of R, G, B in memory of its own, upright, to be drawn on.
package struct RGBPicture: Sendable {
    package var size: FrameSize

    /// Three bytes a pixel, rows from the top, no gaps.
    package var bytes: [UInt8]

    package init(size: FrameSize, bytes: [UInt8]) {
        precondition(bytes.count == size.width * size.height * 3, "a pixel has three bytes")
        self.size = size
        self.bytes = bytes
    }

    /// Converts a frame of any format.
    ///
    /// - Throws: `MediaError` if the frame is a damaged JPEG.
    package init(_ frame: Frame) throws(MediaError) {
        try FFmpeg.load()
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
