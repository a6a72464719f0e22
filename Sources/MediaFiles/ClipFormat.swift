import CFFmpeg
import Frames

/// A kind of file that clips can be written to.
struct ClipFormat {
    /// The file name's ending.
    var ending: String
    /// FFmpeg's name of the container.
    var muxer: String
    /// Encoders in order of preference.
    var encoders: [String]
    /// How finely times are kept; nil for one frame.
    var ticksPerSecond: Int32?

    static let all = [
        ClipFormat(ending: "mp4", muxer: "mp4", encoders: ["libx264", "mpeg4"], ticksPerSecond: 90_000),
        ClipFormat(ending: "mov", muxer: "mov", encoders: ["libx264", "mpeg4"], ticksPerSecond: 90_000),
        ClipFormat(ending: "mkv", muxer: "matroska", encoders: ["libx264", "mpeg4"], ticksPerSecond: 1000),
        ClipFormat(ending: "webm", muxer: "webm", encoders: ["libvpx", "libvpx-vp9"], ticksPerSecond: 1000),
        ClipFormat(ending: "avi", muxer: "avi", encoders: ["mpeg4"], ticksPerSecond: nil),
        ClipFormat(ending: "gif", muxer: "gif", encoders: ["gif"], ticksPerSecond: 100),
    ]

    /// What the encoder gets: BT.601 below 720 rows and BT.709 from there on, as players expect; limited range.
    func target(size: FrameSize) -> FrameScaler.Target {
        guard muxer != "gif" else {
            return .init(format: AV_PIX_FMT_RGB8, size: size, encoding: .jpeg)
        }
        let matrix: YUVEncoding.Matrix = size.height >= 720 ? .bt709 : .bt601
        return .init(format: AV_PIX_FMT_YUV420P, size: size, encoding: YUVEncoding(matrix: matrix, isFullRange: false))
    }

    func settings(target: FrameScaler.Target, rate: Double) -> VideoEncoder.Settings {
        VideoEncoder.Settings(
            target: target,
            timeBase: ticksPerSecond.map { AVRational(num: 1, den: $0) } ?? av_inv_q(av_d2q(rate, 100_000)),
            rate: rate,
            options: Self.options[encoders[0]] ?? [],
            quantizer: encoders.contains("mpeg4") ? 3 : nil,
            hasGlobalHeader: muxer != "avi" && muxer != "gif"
        )
    }

    /// Quality near what the eye can tell from the original, at a speed that a small board keeps up with.
    private static let options = [
        "libx264": [("preset", "veryfast"), ("crf", "18")],
        "libvpx": [("deadline", "realtime"), ("cpu-used", "8"), ("crf", "10"), ("b", "4M")],
    ]
}

extension AVRational {
    /// A time base in seconds.
    var seconds: Double { Double(num) / Double(den) }
}
