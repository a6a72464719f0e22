import CChafa
import CZlib
import Foundation

/// Converts pixels to the control sequences with which a terminal shows them. It reuses its memory.
///
/// Not Sendable: the code that draws owns it.
package final class TerminalPicture {
    package let format: TerminalFormat
    private let info: OpaquePointer
    /// The chafa mode with the most colours that the terminal can show in character cells.
    private let colors: ChafaCanvasMode
    private var canvas: (pointer: OpaquePointer, size: TerminalSize)?

    /// Finds out from the environment variables what the terminal can show. If `format` is nil, uses the best format
    /// that it can show. Throws `TerminalError` if chafa does not describe the terminal.
    package init(format: TerminalFormat? = nil, environment: [String: String]) throws(TerminalError) {
        // Chafa expects the form of C's environ: `name=value` strings, ended by a null pointer.
        var entries = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for entry in entries { free(entry) } }
        guard let info = chafa_term_db_detect(chafa_term_db_get_default(), &entries) else { throw .noPicture }
        func has(_ sequence: ChafaTermSeq) -> Bool { chafa_term_info_have_seq(info, sequence) != 0 }
        let hasKitty = has(CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1)
        self.format = format ?? (hasKitty ? .kitty : has(CHAFA_TERM_SEQ_BEGIN_SIXELS) ? .sixel : .cells)
        let modes = [
            (CHAFA_TERM_SEQ_SET_COLOR_FGBG_DIRECT, CHAFA_CANVAS_MODE_TRUECOLOR),
            (CHAFA_TERM_SEQ_SET_COLOR_FGBG_256, CHAFA_CANVAS_MODE_INDEXED_240),
            (CHAFA_TERM_SEQ_SET_COLOR_FGBG_16, CHAFA_CANVAS_MODE_INDEXED_16),
        ]
        colors = modes.first { has($0.0) }?.1 ?? CHAFA_CANVAS_MODE_FGBG_BGFG
        // Adds sequences for formats that the terminal does not claim. Done last, as after this it claims everything.
        chafa_term_info_supplement(info, chafa_term_db_get_fallback_info(chafa_term_db_get_default()))
        self.info = info
        // One picture is made at a time, beside other work. A second thread would cost more than it saves.
        chafa_set_n_threads(1)
    }

    deinit {
        if let canvas { chafa_canvas_unref(canvas.pointer) }
        chafa_term_info_unref(info)
    }

    /// Returns the control sequences that show a frame in `size` cells from the top left corner. The frame must be BGRA
    /// with premultiplied alpha. Throws `TerminalError` for another format, or if memory is short.
    package func sequences(_ frame: Frame, size: TerminalSize) throws(TerminalError) -> [UInt8] {
        guard frame.format == .bgra else { throw .noPicture }
        if format == .kitty { return clearing + (try kitty(frame, size: size)) }
        let canvas = try canvas(for: size)
        let (width, height) = (Int32(frame.size.width), Int32(frame.size.height))
        let bytesPerRow = Int32(frame.planes.first.bytesPerRow)
        let bytes = frame.planes.first.bytes
        chafa_canvas_draw_all_pixels(canvas, CHAFA_PIXEL_BGRA8_PREMULTIPLIED, bytes, width, height, bytesPerRow)
        guard let printed = chafa_canvas_print(canvas, info) else { throw .noPicture }
        defer { g_string_free(printed, 1) }
        let text = UnsafeBufferPointer(start: printed.pointee.str, count: Int(printed.pointee.len))
            .map(UInt8.init(bitPattern:))
        guard format == .cells else { return clearing + text }
        // Chafa ends lines with a line feed only, after which a terminal in raw mode would not return to the left edge.
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return clearing + Array(lines.joined(separator: Array("\r\n".utf8)))
    }

    /// The maximum number of data bytes in one sequence, a limit of kitty's protocol.
    private static let chunk = 4096

    /// The sequences of kitty's graphics protocol. Pixels are compressed: raw ones would take megabytes per picture.
    private func kitty(_ frame: Frame, size: TerminalSize) throws(TerminalError) -> [UInt8] {
        let source = frame.planes.first
        let width = frame.size.width
        let height = frame.size.height
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * width * height)
        for row in 0..<height {
            let line = UnsafeRawBufferPointer(start: source.base + row * source.bytesPerRow, count: 4 * width)
            for pixel in stride(from: 0, to: line.count, by: 4) {
                pixels.append(line[pixel + 2])
                pixels.append(line[pixel + 1])
                pixels.append(line[pixel])
            }
        }
        guard let compressed = Self.compressed(pixels) else { throw .noPicture }
        var data = compressed.base64EncodedData()[...]
        var control = "a=T,q=2,f=24,o=z,s=\(width),v=\(height),c=\(size.columns),r=\(size.rows),C=1,"
        var bytes: [UInt8] = []
        repeat {
            let part = data.prefix(Self.chunk)
            data = data.dropFirst(Self.chunk)
            bytes += Array("\u{1B}_G\(control)m=\(data.isEmpty ? 0 : 1);".utf8) + part + Array("\u{1B}\\".utf8)
            control = ""
        } while !data.isEmpty
        return bytes
    }

    private static func compressed(_ pixels: [UInt8]) -> Data? {
        var count = compressBound(uLong(pixels.count))
        var data = Data(count: Int(count))
        let code = data.withUnsafeMutableBytes { buffer in
            compress2(buffer.bindMemory(to: UInt8.self).baseAddress, &count, pixels, uLong(pixels.count), Z_BEST_SPEED)
        }
        return code == Z_OK ? data.prefix(Int(count)) : nil
    }

    /// The sequence that moves the cursor to the top left corner and, in kitty's protocol, removes the last picture.
    package var clearing: [UInt8] { Array((format == .kitty ? "\u{1B}_Ga=d,q=2\u{1B}\\\u{1B}[H" : "\u{1B}[H").utf8) }

    private func canvas(for wanted: TerminalSize) throws(TerminalError) -> OpaquePointer {
        if let canvas, canvas.size == wanted { return canvas.pointer }
        if let canvas { chafa_canvas_unref(canvas.pointer) }
        canvas = nil
        guard let config = chafa_canvas_config_new(), let symbols = chafa_symbol_map_new() else { throw .noPicture }
        defer {
            chafa_canvas_config_unref(config)
            chafa_symbol_map_unref(symbols)
        }
        chafa_canvas_config_set_geometry(config, Int32(wanted.columns), Int32(wanted.rows))
        chafa_canvas_config_set_cell_geometry(config, Int32(wanted.cell.width), Int32(wanted.cell.height))
        chafa_canvas_config_set_canvas_mode(config, format == .cells ? colors : CHAFA_CANVAS_MODE_TRUECOLOR)
        let mode = format == .sixel ? CHAFA_PIXEL_MODE_SIXELS : CHAFA_PIXEL_MODE_SYMBOLS
        chafa_canvas_config_set_pixel_mode(config, mode)
        // Undithered, 240 colours turn skin pink or olive: the error is 7.4 in CIELAB, and about 5 with dithering.
        // Mixing in DIN99d is no better and takes three times as long.
        if format == .cells, colors == CHAFA_CANVAS_MODE_INDEXED_240 {
            chafa_canvas_config_set_dither_mode(config, CHAFA_DITHER_MODE_DIFFUSION)
        }
        chafa_canvas_config_set_work_factor(config, 0)
        chafa_canvas_config_set_preprocessing_enabled(config, 0)
        // Block and quadrant characters: every font has them, and a few shapes are quick to compare.
        chafa_symbol_map_apply_selectors(symbols, "space+solid+hhalf+vhalf+quad", nil)
        chafa_canvas_config_set_symbol_map(config, symbols)
        guard let made = chafa_canvas_new(config) else { throw .noPicture }
        canvas = (made, wanted)
        return made
    }
}

package enum TerminalFormat: String, Hashable, Sendable, CaseIterable {
    /// Pixels with the kitty graphics protocol.
    case kitty
    /// Pixels with DEC's sixel graphics, up to 256 colours.
    case sixel
    case cells
}
