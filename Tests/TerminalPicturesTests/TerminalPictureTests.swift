import CZlib
import FaceMetadata
import Foundation
import Frames
import TerminalPictures
import Testing

@Suite("Terminal pictures")
struct TerminalPictureTests {
    /// A picture whose left half is red and whose right half is blue, as bytes of B, G, R, A.
    private func halves(width: Int, height: Int) -> [UInt8] {
        (0..<height).flatMap { _ in
            (0..<width).flatMap { x in x < width / 2 ? [0, 0, 255, 255] : [255, 0, 0, 255] as [UInt8] }
        }
    }

    private func square(_ side: Int, _ pixels: [UInt8]) throws -> Frame {
        let stamp = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0)
        return try Frame(copying: pixels, size: FrameSize(width: side, height: side), format: .bgra, stamp: stamp)
    }

    private func text(_ format: TerminalFormat?, _ environment: [String: String]) throws -> String {
        let picture = try TerminalPicture(format: format, environment: environment)
        let pixels = halves(width: 32, height: 32)
        let bytes = try picture.sequences(square(32, pixels), size: TerminalSize(columns: 8, rows: 4))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("cells carry the picture's colours, a row of them per row of the terminal")
    func cells() throws {
        let text = try text(nil, ["TERM": "xterm-256color", "COLORTERM": "truecolor"])
        #expect(text.hasPrefix("\u{1B}[H"))
        #expect(text.contains("2;255;0;0") && text.contains("2;0;0;255"))
        #expect(text.filter { $0 == "\r\n" }.count == 3)
    }

    @Test("a terminal without many colours gets none that it does not know")
    func fewColors() throws {
        let text = try text(.cells, ["TERM": "linux"])
        #expect(!["38;2;", "48;2;", "38;5;", "48;5;"].contains { text.contains($0) })
        // Bright red and bright blue.
        #expect(text.contains("101m") && text.contains("104m"))
    }

    @Test("256 colours are mixed where none of them is the picture's")
    func mixing() throws {
        let picture = try TerminalPicture(format: .cells, environment: ["TERM": "screen-256color"])
        // The skin in the shade of a portrait, B, G, R, A.
        let pixels = (0..<160 * 160).flatMap { _ -> [UInt8] in [92, 116, 152, 255] }
        let bytes = try picture.sequences(square(160, pixels), size: TerminalSize(columns: 40, rows: 20))
        let numbers = String(decoding: bytes, as: UTF8.self).matches(of: /[34]8;5;(\d+)/).compactMap { Int($0.1) }
        #expect(Set(numbers).count > 2, "\(Set(numbers))")
    }

    @Test("takes pixels where the terminal is known to show them, cells elsewhere")
    func detection() throws {
        #expect(try TerminalPicture(environment: ["TERM": "xterm-kitty"]).format == .kitty)
        #expect(try TerminalPicture(environment: ["TERM": "mlterm"]).format == .sixel)
        #expect(try TerminalPicture(environment: ["TERM": "screen-256color"]).format == .cells)
        #expect(try TerminalPicture(environment: [:]).format == .cells)
    }

    @Test("speaks the protocol that was asked for")
    func formats() throws {
        let environment = ["TERM": "xterm-256color"]
        #expect(try text(.sixel, environment).contains("\u{1B}P"))
        #expect(try text(.kitty, environment).contains("\u{1B}_G"))
        // The picture before is taken away, or the terminal would keep them all.
        #expect(try text(.kitty, environment).hasPrefix("\u{1B}_Ga=d"))
    }

    @Test("a picture for kitty is compressed, and the same pixels come out of it")
    func kitty() throws {
        let sequences = try text(.kitty, [:]).split(separator: "\u{1B}_G").dropFirst()
        let first = try #require(sequences.first)
        for key in ["a=T", "f=24", "o=z", "s=32", "v=32", "c=8", "r=4"] { #expect(first.contains(key)) }
        let data = sequences.map { $0.drop { $0 != ";" }.dropFirst().prefix { $0 != "\u{1B}" } }.joined()
        let compressed = try #require(Data(base64Encoded: data))
        var pixels = [UInt8](repeating: 0, count: 3 * 32 * 32)
        var count = uLong(pixels.count)
        #expect(uncompress(&pixels, &count, Array(compressed), uLong(compressed.count)) == Z_OK)
        #expect(count == pixels.count && Array(pixels[..<3]) == [255, 0, 0] && Array(pixels[93..<96]) == [0, 0, 255])
        #expect(compressed.count < pixels.count / 10)
    }

    @Test("a cell's size is the terminal's word, or the usual one")
    func size() {
        let told = TerminalSize(columns: 80, rows: 24, pixelWidth: 800, pixelHeight: 480)
        #expect(told.cell == FrameSize(width: 10, height: 20))
        #expect(told.drawingSize(for: .sixel) == FrameSize(width: 800, height: 480))
        #expect(told.drawingSize(for: .cells) == FrameSize(width: 320, height: 192))
        let untold = TerminalSize(columns: 80, rows: 24)
        #expect(untold.cell == FrameSize(width: 8, height: 16))
        #expect(untold.withoutLastRow.rows == 23)
        #expect(TerminalSize(columns: 80, rows: 1).withoutLastRow.rows == 1)
    }

    @Test("without a terminal there is nothing to take over")
    func noTerminal() {
        // Tests run without a terminal, or with one that is not their input.
        #expect(throws: TerminalError.self) { try Terminal(format: .cells) }
    }
}
