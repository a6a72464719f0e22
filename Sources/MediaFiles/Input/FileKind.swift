import Foundation

/// Recognises, by their first bytes, kinds of files that FFmpeg, or the installed version of it, cannot read.
enum FileKind {
    /// Bytes that identify a kind of file, their offset, and the name of the kind.
    private typealias Mark = (offset: Int, bytes: [UInt8], name: String)

    private static func mark(_ text: String, _ name: String, at offset: Int = 0) -> Mark {
        (offset, Array(text.utf8), name)
    }

    private static let marks: [Mark] = [
        mark("8BPS", "a PSD of Photoshop"), mark("%PDF", "a PDF"), mark("gimp xcf", "an XCF of GIMP"),
        mark("%!PS", "PostScript"), mark("DDS ", "a DDS"), mark("#?RADIANCE", "a Radiance HDR picture"),
        (0, [0x76, 0x2F, 0x31, 0x01], "an OpenEXR picture"), (0, [0xFF, 0x0A], "a JPEG XL"),
        mark("JXL ", "a JPEG XL", at: 4), (0, [0, 0, 1, 0], "an icon (ICO)"),
        mark("FUJIFILMCCD-RAW", "a raw picture (RAF)"),
        mark("IIRO", "a raw picture (ORF)"), mark("IIRS", "a raw picture (ORF)"), mark("MMOR", "a raw picture (ORF)"),
        mark("IIU\0", "a raw picture (RW2)"), mark("CR\u{2}\0", "a raw picture (CR2)", at: 8),
        mark("FOVb", "a raw picture (X3F)"), mark("/* XPM", "an XPM"), mark("<svg", "an SVG"),
    ]

    /// The kind of an ISO media file by the brand in its first box.
    private static let brands = [
        "heic": "a HEIC picture", "heix": "a HEIC picture", "heim": "a HEIC picture", "heis": "a HEIC picture",
        "hevc": "a HEIC sequence", "hevx": "a HEIC sequence", "avif": "an AVIF picture", "avis": "an AVIF sequence",
        "crx ": "a raw picture (CR3)", "mif1": "a HEIF picture", "msf1": "a HEIF sequence", "jxl ": "a JPEG XL",
    ]

    private static func head(of path: String) -> [UInt8] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        return Array(unsafeUninitializedCapacity: 256) { $1 = fread($0.baseAddress, 1, 256, file) }
    }

    /// Whether a file begins like an mp4 or mov.
    static func isBegunMovie(_ path: String) -> Bool {
        let box = String(decoding: head(of: path).dropFirst(4).prefix(4), as: UTF8.self)
        return ["ftyp", "moov", "mdat", "wide", "free", "skip"].contains(box)
    }

    /// The kind of a file, with its article, such as `a PDF`; nil if the file can be read or its kind is unknown.
    static func name(of path: String) -> String? {
        let head = head(of: path)
        func text(_ offset: Int) -> String { String(decoding: head.dropFirst(offset).prefix(4), as: UTF8.self) }
        if text(0) == "RIFF", text(8) == "WEBP", text(12) == "VP8X", head.count > 20, head[20] & 2 != 0 {
            return "an animated WebP"
        }
        if text(4) == "ftyp" {
            // The file's main brand, then those that it is compatible with. Plain HEIF comes last, as it says least.
            let named = ([8] + Array(stride(from: 16, to: min(head.count, Int(head[3])), by: 4))).map(text)
            let known = named.compactMap { brands[$0] }
            return known.first { !$0.contains("HEIF") } ?? known.first
        }
        return marks.first { head.dropFirst($0.offset).starts(with: $0.bytes) }?.name
    }
}
