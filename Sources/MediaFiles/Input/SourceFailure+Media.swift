// Failures with media files and streams that are reported at several places. Others are made where they are reported.
extension SourceFailure {
    static func unreadable(_ path: String, _ reason: String) -> Self {
        .init(.unreadable, "open \(path)", reason, "check the file's permissions and its disk")
    }

    static func unrecognized(_ location: MediaLocation, _ reason: String) -> Self {
        if let failure = unreadableKind(location) { return failure }
        if let path = location.path, FileKind.isBegunMovie(path) {
            let problem = "its index is missing or cut off: it was not recorded or copied to its end"
            return .init(.corrupt, "open \(location.name)", problem, "copy or record it again")
        }
        let problem = "it is not a clip or a picture in a format that the installed FFmpeg knows"
        let remedy =
            "convert it first, for example to H.264 in an mp4 or to PNG; if its beginning is missing, copy it again"
        return .init(.corrupt, "open \(location.name)", "\(problem) (\(reason))", remedy)
    }

    /// The failure for a file whose first bytes show an unsupported kind of file, such as a PDF; nil for other files.
    static func unreadableKind(_ location: MediaLocation) -> Self? {
        location.path.flatMap { FileKind.name(of: $0) }.map { unreadableKind(location.name, $0) }
    }

    /// The failure for a file that may be intact, but is of an unsupported `kind`, such as `a PDF`.
    static func unreadableKind(_ name: String, _ kind: String) -> Self {
        let remedy = "convert it first, for example to PNG, JPEG or H.264 in an mp4"
        return .init(.unsupported, "read \(name)", "it is \(kind), which cannot be read here", remedy)
    }

    static func noDecoder(_ input: MediaInput, reason: String? = nil) -> Self {
        let words = reason.map { " (\($0))" } ?? ""
        let problem = "the installed FFmpeg has no decoder for \(input.codecInWords)\(words)"
        let remedy =
            input.location.isStream
            ? "set the camera to H.264, or take its RTSP address if this is another one"
            : "convert the clip, for example to H.264 in an mp4"
        return unreadableKind(input.location) ?? .init(.unsupported, "decode \(input.location.name)", problem, remedy)
    }

    /// The failure for a file of which nothing could be decoded; names the kind of file if it is an unsupported one.
    static func undecodable(_ location: MediaLocation, _ reason: String) -> Self {
        let problem = "no picture in it could be decoded (\(reason))"
        let remedy =
            "if other programs show it, convert it first, for example to PNG; else it is damaged: copy it again"
        return unreadableKind(location) ?? .init(.corrupt, "decode \(location.name)", problem, remedy)
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
