import CFFmpeg
import System

/// FFmpeg's functions under their own names, for code that runs after `FFmpeg.load()` succeeded.
var ffmpeg: FFmpegFunctions { FFmpeg.functions.pointee }

/// Loads FFmpeg's libraries, and contains what all uses of them share.
enum FFmpeg {
    /// Opens the libraries, once per process: a camera does not need them, nor the hundred that they depend on. Every
    /// type that a caller of this module can make calls this first.
    /// - Throws: `SourceFailure` if they are missing.
    static func load() throws(SourceFailure) { _ = try loaded.get() }

    // `nonisolated(unsafe)` because of the pointer: the table is not written to once it is filled.
    private nonisolated(unsafe) static let loaded: Result<UnsafePointer<FFmpegFunctions>, SourceFailure> = {
        var reason: UnsafePointer<CChar>?
        guard let functions = FFmpegFunctionsLoad(&reason) else {
            let words = reason.map { String(cString: $0) } ?? "no reason is known"
            let problem = "FFmpeg's libraries are missing (\(words))"
            let remedy = "install Debian's packages \(FFmpeg.packages). A camera does not need them"
            return .failure(SourceFailure(.unsupported, "open clips, pictures and streams", problem, remedy))
        }
        return .success(functions)
    }()

    static var functions: UnsafePointer<FFmpegFunctions> {
        guard case .success(let functions) = loaded else { preconditionFailure("FFmpeg.load() was not called first") }
        return functions
    }

    /// The Debian packages with the libraries. Their names state the versions, as the libraries' names do.
    static let packages = "libavformat\(facet_avformat_version) and libswscale\(facet_swscale_version)"

    /// FFmpeg's words for an error number.
    static func text(_ code: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        _ = ffmpeg.av_strerror(code, &text, text.count)
        return String(upToZero: text)
    }

    /// FFmpeg's name of a codec.
    static func name(of codec: AVCodecID) -> String {
        ffmpeg.avcodec_get_name(codec).map { String(cString: $0) } ?? "unknown"
    }

    /// The words together with FFmpeg's newest error: its number alone often means any failure to read or write.
    static func explained(_ words: String) -> String {
        newestError.isEmpty ? words : "\(words) (\(newestError))"
    }

    static var newestError: String { String(cString: FFmpegNewestError()) }

    /// Whether an error means that a sender that announced no length closed the connection.
    static func isPrematureEnd(_ code: Int32) -> Bool {
        code == FFmpeg.code(EIO) && newestError.contains("prematurely")
    }

    /// FFmpeg's number for one of the system's errors.
    static func code(_ errno: Int32) -> Int32 { -errno }

    /// Runs `body` with an options dictionary made of these pairs, and frees what is left of it.
    static func withOptions<Result>(
        _ pairs: [(String, String)],
        _ body: (UnsafeMutablePointer<OpaquePointer?>) -> Result
    ) -> Result {
        var dictionary: OpaquePointer?
        for (key, value) in pairs { _ = ffmpeg.av_dict_set(&dictionary, key, value, 0) }
        defer { ffmpeg.av_dict_free(&dictionary) }
        return body(&dictionary)
    }
}

/// An object of FFmpeg's that is freed with this one. If there is no memory for it, the process ends.
///
/// `@unchecked Sendable` because of the pointer: a thread that hands it on does not use it any more.
final class FFmpegOwned<Value>: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<Value>
    private let free: Free
    typealias Free = (UnsafeMutablePointer<UnsafeMutablePointer<Value>?>?) -> Void

    init(_ pointer: UnsafeMutablePointer<Value>?, _ free: @escaping Free) {
        guard let pointer else { fatalError("out of memory") }
        self.pointer = pointer
        self.free = free
    }

    deinit {
        var pointer: UnsafeMutablePointer<Value>? = pointer
        free(&pointer)
    }

    static func packet() -> FFmpegOwned where Value == AVPacket {
        FFmpegOwned(ffmpeg.av_packet_alloc(), ffmpeg.av_packet_free)
    }

    static func frame() -> FFmpegOwned where Value == AVFrame {
        FFmpegOwned(ffmpeg.av_frame_alloc(), ffmpeg.av_frame_free)
    }

    static func codec(_ codec: UnsafePointer<AVCodec>) -> FFmpegOwned where Value == AVCodecContext {
        FFmpegOwned(ffmpeg.avcodec_alloc_context3(codec), ffmpeg.avcodec_free_context)
    }
}

extension AVStream {
    var size: FrameSize { FrameSize(width: Int(codecpar.pointee.width), height: Int(codecpar.pointee.height)) }
    /// A time of the stream's packets in seconds; nil if it has no value.
    func seconds(_ time: Int64) -> Double? { time == facet_no_timestamp ? nil : Double(time) * time_base.seconds }
}

extension AVFrame {
    var size: FrameSize { FrameSize(width: Int(width), height: Int(height)) }
}

extension AVPacket {
    /// The packet's decoding time, or else its presentation time.
    var decoding: Int64 { dts == facet_no_timestamp ? pts : dts }
}

extension AVRational {
    /// The fraction as a number; nil if it has no value.
    var value: Double? { num > 0 && den > 0 ? Double(num) / Double(den) : nil }
    /// A time base in seconds.
    var seconds: Double { Double(num) / Double(den) }
}
