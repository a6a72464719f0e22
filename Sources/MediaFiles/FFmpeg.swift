import CFFmpeg
import Glibc

/// What all uses of FFmpeg's libraries here share.
enum FFmpeg {
    /// Keeps FFmpeg from writing to standard error: what matters comes back as error numbers. The switch holds for the
    /// whole process, so it is set once.
    static let silence: Void = av_log_set_level(AV_LOG_QUIET)

    /// FFmpeg's words for one of its error numbers.
    static func text(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress, av_strerror(code, base, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: base)
        }
    }

    /// FFmpeg's number for one of the system's errors.
    static func code(_ errno: Int32) -> Int32 { -errno }

    /// Runs `body` with an options dictionary made of these pairs, and frees what is left of it.
    static func withOptions<Result>(
        _ pairs: [(String, String)],
        _ body: (UnsafeMutablePointer<OpaquePointer?>) -> Result
    ) -> Result {
        var dictionary: OpaquePointer?
        for (key, value) in pairs { av_dict_set(&dictionary, key, value, 0) }
        defer { av_dict_free(&dictionary) }
        return body(&dictionary)
    }
}

extension AVRational {
    /// The fraction as a number; nil if it says nothing.
    var value: Double? { num > 0 && den > 0 ? Double(num) / Double(den) : nil }
}
