import Foundation
import Testing

@testable import MediaFiles

@Suite("JPEGs one after the other")
struct JPEGSequenceTests {
    /// A JPEG's marks with few pixels: a comment that looks like a boundary, a thumbnail, two scans, a restart.
    static let picture: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE1, 0, 8, 0xFF, 0xD8, 0xFF, 0xD9, 1, 2] + [0xFF, 0xFE, 0, 9] + Array("\r\n--b\r\n".utf8)
        + [0xFF, 0xDA, 0, 4, 1, 2, 3, 0xFF, 0, 4, 0xFF, 0xD0, 5, 0xFF, 0xFF, 0xDA, 0, 2, 6, 7, 0xFF, 0xD9]

    /// What a camera writes around each picture.
    enum Framing: String, CaseIterable {
        case none, multipart, noBoundary, noDashes, wrongLength, text

        func stream(_ pictures: [[UInt8]]) -> [UInt8] {
            pictures.flatMap { picture in
                switch self {
                case .none: picture
                case .multipart: Array("--b\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + picture + [13, 10]
                case .noBoundary: Array("Content-Type: image/jpg\r\n\r\n".utf8) + picture + Array("\r\n--b\r\n".utf8)
                case .noDashes: Array("b\nContent-type:image/jpeg; charset=utf-8\n\n".utf8) + picture
                case .wrongLength: Array("--b\r\nContent-Length: 3\r\n\r\n".utf8) + picture + [0xFF, 0xFF, 0xD8, 0]
                case .text: Array("a camera\u{FF}".utf8) + picture
                }
            }
        }
    }

    private func pictures(in bytes: [UInt8], pieces: Int, longest: Int = 100_000) throws -> [[UInt8]] {
        var sequence = JPEGSequence(longest: longest)
        var found: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try sequence.append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            while let picture = sequence.next() { found.append(picture) }
        }
        return found + [sequence.unfinished()].compactMap { $0 }
    }

    @Test("are found whatever stands between them, and in pieces of any size", arguments: Framing.allCases)
    func framing(_ framing: Framing) throws {
        let wanted = [[UInt8]](repeating: Self.picture, count: 5)
        for pieces in [1, 2, 3, 7, 50, 10_000] {
            #expect(try pictures(in: framing.stream(wanted), pieces: pieces) == wanted, "\(framing) \(pieces)")
        }
    }

    @Test("one that breaks off is returned as far as it goes, and the next one is whole")
    func cut() throws {
        let whole = Self.picture
        for length in 3..<whole.count {
            // What a marker is cut off from may be taken for 64 KB.
            let others = [[UInt8]](repeating: whole, count: 2000).flatMap { $0 }
            let found = try pictures(in: whole.prefix(length) + others, pieces: 5000)
            #expect(found.last == whole, "\(length)")
        }
        #expect(try pictures(in: Array(whole.dropLast(3)), pieces: 4) == [Array(whole.dropLast(3))])
    }

    @Test("too much without a picture is refused, and one that has no end")
    func tooLong() throws {
        let zeros = [UInt8](repeating: 0, count: 10_001)
        for bytes in [zeros, Self.picture.dropLast(2) + zeros] {
            #expect(throws: JPEGSequence.Failure.self) { try pictures(in: bytes, pieces: 100, longest: 10_000) }
        }
    }

    @Test("the first bytes say what a sender sends")
    func kinds() {
        func kind(_ text: String, _ bytes: [UInt8] = [], isWhole: Bool = false) -> SenderBytes.Kind? {
            SenderBytes.kind(of: Array(text.utf8) + bytes, isWhole: isWhole)
        }
        #expect(kind("--b\r\nContent-Type: image/jpeg\r\n\r\n", Self.picture) == .pictures)
        let filled = [UInt8](repeating: 0, count: 13) + Self.picture
        #expect(kind("--b\r\nContent-Type: image/jpeg\r\n\r\n", filled) == .pictures && kind("--b\r\n\r\n\u{0}") == nil)
        #expect(kind(String(repeating: "\u{0}", count: 5000)) == .other)
        #expect(kind("", [0xFF, 0xD8]) == nil && kind("--b\r\n") == nil && kind("", [0xFF]) == nil)
        #expect(kind("", isWhole: true) == .nothing)
        #expect(kind("<html>ü", isWhole: true) == .text("<html>ü"))
        #expect(kind(String(repeating: "a", count: 5000)) != nil)
        #expect(
            kind("G@\u{0}\u{10}") == .other && kind("", [0xFF, 0xD9, 0xFF]) == .other
                && kind("a", [0xFF], isWhole: true) == .other
        )
    }
}
