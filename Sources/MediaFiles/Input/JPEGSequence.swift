/// Finds JPEGs in bytes that come in pieces. It relies only on the markers in the JPEGs, because cameras send wrong
/// lengths, wrong boundaries and no content types. Bytes between the pictures are skipped.
struct JPEGSequence {
    enum Failure: Error { case tooLong }

    private enum Section {
        /// The next bytes are between pictures.
        case outside
        /// The next bytes are a marker of a picture.
        case marker
        /// The next bytes are compressed pixels.
        case scan
    }

    private var bytes: [UInt8] = []
    private var position = 0
    private var section = Section.outside
    /// The number of bytes that came since the last picture.
    private(set) var unused = 0
    private let longest: Int

    init(longest: Int) { self.longest = longest }

    /// Takes the next bytes of the sequence. Throws if more than `longest` bytes came without completing a picture.
    mutating func append(_ piece: some Collection<UInt8>) throws(Failure) {
        bytes += piece
        unused += piece.count
        if unused > longest { throw .tooLong }
    }

    /// The next whole picture; nil if more bytes are needed. A truncated picture is returned as far as it goes.
    mutating func next() -> [UInt8]? {
        while true {
            switch section {
            case .outside:
                guard findStart() else { return nil }
            case .marker:
                let start = position
                if let end = passMarker() { return takePicture(to: end) }
                if position == start { return nil }
            case .scan:
                position = index(of: 0xFF, from: position) ?? bytes.count
                guard position + 1 < bytes.count else { return nil }
                // In compressed pixels, FF is followed by 0 or a restart marker. Any other byte ends them.
                switch bytes[position + 1] {
                case 0xFF: position += 1
                case 0, 0xD0...0xD7: position += 2
                default: section = .marker
                }
            }
        }
    }

    /// The incomplete last picture; nil if there is none. Used after the end of the bytes.
    mutating func unfinished() -> [UInt8]? { section == .outside ? nil : takePicture(to: bytes.count) }

    /// Skips the bytes before the next start of a picture. Returns false if more bytes are needed.
    private mutating func findStart() -> Bool {
        var start = position
        while let mark = index(of: 0xFF, from: start) {
            guard mark + 2 < bytes.count else {
                start = mark
                break
            }
            if bytes[mark + 1] == 0xD8, bytes[mark + 2] == 0xFF {
                bytes.removeSubrange(..<mark)
                position = 2
                section = .marker
                return true
            }
            start = mark + 1
        }
        bytes.removeSubrange(..<(index(of: 0xFF, from: start) ?? bytes.count))
        position = 0
        return false
    }

    /// Skips a marker and its content, unless more bytes are needed. Returns the picture's end if this marker ends it.
    private mutating func passMarker() -> Int? {
        guard position + 1 < bytes.count else { return nil }
        // A length was wrong or the picture is truncated. The next picture may begin in the skipped bytes.
        guard bytes[position] == 0xFF else {
            return bytes[2..<position].firstRange(of: [0xFF, 0xD8, 0xFF])?.lowerBound ?? position
        }
        switch bytes[position + 1] {
        case 0xFF: position += 1
        case 0x01, 0xD0...0xD7: position += 2
        case 0xD9: return position + 2
        // The next picture begins, or this one is not a JPEG.
        case 0xD8, 0x00: return position
        case let marker:
            guard position + 3 < bytes.count else { return nil }
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            guard length >= 2 else { return position }
            guard position + 2 + length < bytes.count else { return nil }
            position += 2 + length
            if marker == 0xDA { section = .scan }
        }
        return nil
    }

    private mutating func takePicture(to end: Int) -> [UInt8] {
        let picture = Array(bytes[..<end])
        bytes.removeSubrange(..<end)
        (position, section, unused) = (0, .outside, bytes.count)
        return picture
    }

    private func index(of byte: UInt8, from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, start < bytes.count,
                let found = memchr(base + start, CInt(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}
