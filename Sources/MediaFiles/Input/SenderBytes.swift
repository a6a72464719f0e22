import CFFmpeg

/// The bytes from a web address or a command. Cameras send successive JPEGs in many forms. The JPEGs are found by their
/// own markers, and passed to FFmpeg in a form that it knows: a multipart stream with lengths.
final class SenderBytes: ByteInput {
    /// The kind of the content, judged by its first bytes.
    enum Kind: Equatable {
        case pictures
        /// A text, which may be a playlist.
        case text(String)
        case other
        case nothing
    }

    /// The input from which the sender's bytes are read.
    var source: UnsafeMutablePointer<AVIOContext> { owned.pointer }
    private let owned: FFmpegOwned<AVIOContext>
    let kind: Kind
    /// Whether `source` was rewound, so that FFmpeg can read it from its beginning.
    let canBeReread: Bool
    /// The JPEGs found in the bytes so far. A JPEG that is longer than the limit ends the reading.
    private var sequence = JPEGSequence(longest: 2 * Int(Interrupt.bytesPerPacket))
    /// The bytes of the multipart stream that FFmpeg has not read yet.
    private var ready: ArraySlice<UInt8> = []
    private var isAtEnd = false
    /// The size of the first picture; nil before the picture has come, or if its header does not state the size.
    private(set) var firstSize: FrameSize?
    private static let pieceSize: CInt = 32_768
    /// The maximum number of bytes of text before the first picture.
    private static let longestText = 4096

    /// Whether more bytes came since the newest picture than there usually are between two pictures.
    var hasUnusedBytes: Bool { sequence.unused > Self.longestText }

    /// Reads the beginning of the content, until its kind is clear. Throws FFmpeg's error number.
    init(_ owned: FFmpegOwned<AVIOContext>) throws(FFmpegError) {
        self.owned = owned
        var beginning: [UInt8] = []
        var found: Kind?
        while found == nil {
            if let piece = try Self.read(owned.pointer) { beginning += piece } else { isAtEnd = true }
            found = Self.kind(of: beginning, isWhole: isAtEnd)
        }
        kind = found ?? .other
        // This rewinds within the buffer, or by a new request.
        canBeReread = kind != .pictures && ffmpeg.avio_seek(owned.pointer, 0, SEEK_SET) >= 0
        if kind == .pictures { try? sequence.append(beginning) }
        super.init(bufferSize: Self.pieceSize)
    }

    /// The kind of content that begins with these bytes; nil if more bytes are needed to tell.
    static func kind(of beginning: [UInt8], isWhole: Bool) -> Kind? {
        // A text in UTF-8 contains no byte FF.
        let text = beginning.prefix { (0x20..<0xF5).contains($0) && $0 != 0x7F || (0x09...0x0D).contains($0) }
        // Some cameras send zeros before a picture.
        let rest = beginning[text.endIndex...].drop { $0 == 0 }
        if rest.starts(with: [0xFF, 0xD8, 0xFF]) { return .pictures }
        let mayBegin = rest.count < 3 && [0xFF, 0xD8].starts(with: rest.prefix(2))
        if !isWhole, beginning.count < longestText, mayBegin { return nil }
        guard !beginning.isEmpty else { return .nothing }
        return text.endIndex == beginning.endIndex ? .text(String(decoding: text, as: UTF8.self)) : .other
    }

    private static func read(_ source: UnsafeMutablePointer<AVIOContext>) throws(FFmpegError) -> [UInt8]? {
        var code: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: Int(pieceSize)) { buffer, count in
            code = ffmpeg.avio_read_partial(source, buffer.baseAddress, pieceSize)
            count = Int(max(0, code))
        }
        if code > 0 { return piece }
        guard code == 0 || code == facet_error_eof || FFmpeg.isPrematureEnd(code) else { throw FFmpegError(code: code) }
        return nil
    }

    /// Gives FFmpeg the next bytes of the multipart stream.
    override func read(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Int32 {
        while ready.isEmpty {
            if let picture = sequence.next() ?? (isAtEnd ? sequence.unfinished() : nil) {
                firstSize = firstSize ?? picture.withUnsafeBytes { try? JPEGDecoder().size(of: $0) }
                let head = "--facet\r\nContent-Type: image/jpeg\r\nContent-Length: \(picture.count)\r\n\r\n"
                ready = Array(head.utf8) + picture + [0x0D, 0x0A]
                break
            }
            guard !isAtEnd else { return facet_error_eof }
            do throws(FFmpegError) {
                let piece = try Self.read(source)
                guard (try? sequence.append(piece ?? [])) != nil else { return facet_error_exit }
                isAtEnd = piece == nil
            } catch {
                return error.code
            }
        }
        let taken = ready.prefix(Int(count))
        ready = ready.dropFirst(taken.count)
        taken.withUnsafeBufferPointer { bytes.update(from: $0.baseAddress ?? UnsafePointer(bytes), count: $0.count) }
        return Int32(taken.count)
    }
}

struct FFmpegError: Error { let code: Int32 }
