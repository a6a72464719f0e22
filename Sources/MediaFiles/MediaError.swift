package import Frames

/// Why a media file or a stream could not be opened, read or written.
package enum MediaError: Error, Hashable, Sendable {
    case notFound(path: String)
    case notAFile(path: String)
    case unreadable(path: String, reason: String)
    case empty(path: String)
    case libraryMissing(reason: String)
    /// The file is of a kind that is known and holds no pictures of its own: sound, a playlist.
    case notPictures(name: String, kind: String)
    case tooLarge(name: String, size: FrameSize, limit: Int)
    /// An address that no server can have.
    case invalidAddress(name: String, reason: String)
    case unrecognized(name: String, reason: String)
    case noVideo(name: String)
    case noDecoder(name: String, codec: String)
    case undecodable(name: String, reason: String)
    case noPicture(name: String, mediaTime: Double)
    case unreachable(name: String, reason: String)
    /// A command brings no pictures.
    case commandFailed(name: String, reason: String)
    case unknownScheme(scheme: String, known: [String])
    case unknownExtension(path: String, known: [String])
    case unwritable(path: String, reason: String)
    case noEncoder(path: String, codec: String)
    case unencodable(path: String, reason: String)
    case writerClosed(path: String)
}

extension MediaError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notFound(let path):
            "cannot open \(path): there is no such file; check the path."
        case .notAFile(let path):
            "cannot open \(path): it is a directory or a device, not a media file; name a clip or a picture in it."
        case .unreadable(let path, let reason):
            "cannot open \(path): \(reason); check the file's permissions and its disk."
        case .empty(let path):
            "cannot open \(path): the file is empty; copy or record it again."
        case .libraryMissing(let reason):
            """
            cannot open clips, pictures and streams: FFmpeg's libraries are missing (\(reason)); install Debian's \
            packages \(FFmpeg.packages). A camera does not need them.
            """
        case .notPictures(let name, let kind):
            "cannot use \(name): it is not a clip or a picture, but \(kind); name a file with pictures."
        case .tooLarge(let name, let size, let limit):
            """
            cannot use \(name): its pictures are \(size), more than the \(limit) pixels allowed; make them smaller, or \
            raise the limit if this machine has the memory.
            """
        case .invalidAddress(let name, let reason):
            "cannot open the address \(name): \(reason); write it like rtsp://host:port/path, an IPv6 host in brackets."
        case .unrecognized(let name, let reason):
            """
            cannot open \(name): it is not a clip or a picture in a known format, or its beginning or its index is \
            missing (\(reason)); if it should be one, copy or record it again.
            """
        case .noVideo(let name):
            "cannot use \(name): it has no pictures, only sound or text; name a clip with a video track."
        case .noDecoder(let name, let codec):
            """
            cannot decode \(name): the installed FFmpeg has no decoder for \(codec); convert the clip, for example to \
            H.264 in an mp4.
            """
        case .undecodable(let name, let reason):
            "cannot decode \(name): no picture in it could be decoded (\(reason)); the file is damaged: copy or record it again."
        case .noPicture(let name, let mediaTime):
            "cannot take a picture from \(name) at \(mediaTime) s: the clip ends before; name an earlier time."
        case .unreachable(let name, let reason):
            "cannot open the stream \(name): \(reason); check the address, the user and password, and that the camera is on."
        case .commandFailed(let name, let reason):
            """
            cannot get pictures from \(name): \(reason); check the command: it must write MJPEG, H.264 or YUV4MPEG to \
            standard output, or raw pictures as camera.format and camera.size name them.
            """
        case .unknownScheme(let scheme, let known):
            "cannot open an address that begins with \(scheme)://; known are a file's path and \(Self.list(known, ending: "://"))."
        case .unknownExtension(let path, let known):
            "cannot write \(path): its ending names no known format; known are \(Self.list(known.map { "." + $0 }))."
        case .unwritable(let path, let reason):
            "cannot write \(path): \(reason); check that the directory exists, may be written to and has space left."
        case .noEncoder(let path, let codec):
            "cannot write \(path): the installed FFmpeg has no encoder for \(codec); choose a file name with another ending."
        case .unencodable(let path, let reason):
            "cannot write a picture to \(path): \(reason)."
        case .writerClosed(let path):
            "cannot write a picture to \(path): the file was finished or given up before; begin a new one."
        }
    }

    package var reason: SourceFailure.Reason {
        switch self {
        case .notFound: .notFound
        case .notAFile, .unreadable: .unreadable
        case .empty, .unrecognized, .undecodable: .corrupt
        case .noVideo, .noPicture, .notPictures: .noVideo
        case .libraryMissing, .tooLarge, .invalidAddress: .unsupported
        case .noDecoder, .noEncoder, .unencodable: .unsupported
        case .unreachable, .commandFailed: .unreachable
        case .unknownScheme, .unknownExtension: .unsupported
        case .unwritable, .writerClosed: .unwritable
        }
    }

    private static func list(_ words: [String], ending: String = "") -> String {
        words.map { $0 + ending }.joined(separator: ", ")
    }
}
