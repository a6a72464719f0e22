import Frames

// What several places find wrong with a media file or a stream; what only one finds is said there.
extension SourceFailure {
    static func unreadable(_ path: String, _ reason: String) -> Self {
        .init(.unreadable, "open \(path)", reason, "check the file's permissions and its disk")
    }

    static func unrecognized(_ name: String, _ reason: String) -> Self {
        let problem = "it is not a clip or a picture in a known format, or its beginning or its index is missing"
        return .init(.corrupt, "open \(name)", "\(problem) (\(reason))", "if it should be one, copy or record it again")
    }

    static func noDecoder(_ name: String, codec: String) -> Self {
        let problem = "the installed FFmpeg has no decoder for \(codec)"
        return .init(.unsupported, "decode \(name)", problem, "convert the clip, for example to H.264 in an mp4")
    }

    static func undecodable(_ name: String, _ reason: String) -> Self {
        let problem = "no picture in it could be decoded (\(reason))"
        return .init(.corrupt, "decode \(name)", problem, "the file is damaged: copy or record it again")
    }

    static func commandFailed(_ name: String, _ reason: String) -> Self {
        let remedy =
            "check the command: it must write MJPEG, H.264 or YUV4MPEG to standard output, or raw pictures as "
            + "camera.format and camera.size name them"
        return .init(.unreachable, "get pictures from \(name)", reason, remedy)
    }

    static func unknownExtension(_ path: String, known: [String]) -> Self {
        let endings = known.map { "." + $0 }.joined(separator: ", ")
        return .init(.unsupported, "write \(path)", "its ending names no known format", "known are \(endings)")
    }

    static func unwritable(_ path: String, _ reason: String) -> Self {
        let remedy = "check that the directory exists, may be written to and has space left"
        return .init(.unwritable, "write \(path)", reason, remedy)
    }

    static func noEncoder(_ path: String, codec: String) -> Self {
        let problem = "the installed FFmpeg has no encoder for \(codec)"
        return .init(.unsupported, "write \(path)", problem, "choose a file name with another ending")
    }

    static func unencodable(_ path: String, _ reason: String) -> Self {
        .init(reason: .unsupported, description: "cannot write a picture to \(path): \(reason).")
    }

    static func writerClosed(_ path: String) -> Self {
        let problem = "the file was finished or given up before"
        return .init(.unwritable, "write a picture to \(path)", problem, "begin a new one")
    }
}
