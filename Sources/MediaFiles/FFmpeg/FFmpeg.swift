import CFFmpeg

/// FFmpeg's functions under their own names, usable once `FFmpeg.load()` has succeeded.
var ffmpeg: FFmpegFunctions { FFmpeg.functions.pointee }

/// Loads FFmpeg's libraries, and contains helpers for all code that uses them.
enum FFmpeg {
    /// Opens FFmpeg's libraries, once per process and only when needed, since loading them also loads a hundred others.
    /// Every type that other modules can use calls this function first.
    /// - Throws: `SourceFailure` if the libraries are missing.
    static func load() throws(SourceFailure) { _ = try loaded.get() }

    // `nonisolated(unsafe)` because of the pointer: the table is not changed once it is filled.
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

    /// The Debian packages of the libraries. The name of each package contains the version of its library.
    static let packages = "libavformat\(facet_avformat_version) and libswscale\(facet_swscale_version)"

    /// FFmpeg's description of an error number.
    static func text(_ code: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        _ = ffmpeg.av_strerror(code, &text, text.count)
        return String(upToZero: text)
    }

    static func name(of codec: AVCodecID) -> String {
        ffmpeg.avcodec_get_name(codec).map { String(cString: $0) } ?? "unknown"
    }

    /// Appends FFmpeg's newest error message, since an error number alone often says no more than "I/O error".
    static func explained(_ words: String) -> String {
        newestError.isEmpty ? words : "\(words) (\(newestError))"
    }

    static var newestError: String { String(cString: FFmpegNewestError()) }

    /// Whether an error says that a stream ended early. FFmpeg says so even of a normal end if no length was announced.
    static func isPrematureEnd(_ code: Int32) -> Bool {
        code == FFmpeg.code(EIO) && newestError.contains("prematurely")
    }

    /// FFmpeg's error number for a value of `errno`.
    static func code(_ errno: Int32) -> Int32 { -errno }

    /// Calls `body` with an FFmpeg options dictionary made of `pairs`, and then frees the dictionary.
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

/// Owns an object that FFmpeg allocated, and frees it in `deinit`. The process ends if the allocation failed.
/// `@unchecked Sendable` despite the pointer: a thread that passes the object to another one stops using it.
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
    /// A time in the stream's ticks, converted to seconds; nil for `AV_NOPTS_VALUE`, an unknown time.
    func seconds(_ time: Int64) -> Double? { time == facet_no_timestamp ? nil : Double(time) * time_base.seconds }
}

extension AVFrame {
    var size: FrameSize { FrameSize(width: Int(width), height: Int(height)) }
}

extension AVPacket {
    /// The packet's decoding time or, if unknown, its presentation time, in the stream's ticks.
    var decoding: Int64 { dts == facet_no_timestamp ? pts : dts }
}

extension AVRational {
    /// The fraction as a number; nil if it is undefined or not positive.
    var value: Double? { num > 0 && den > 0 ? Double(num) / Double(den) : nil }
    /// The length of one tick of this time base, in seconds.
    var seconds: Double { Double(num) / Double(den) }
}
