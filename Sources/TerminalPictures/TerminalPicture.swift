import CChafa
import Glibc

/// How a terminal can show a picture.
package enum TerminalFormat: String, Hashable, Sendable, CaseIterable {
    /// Pixels by the kitty graphics protocol.
    case kitty
    /// Pixels by DEC's sixel graphics, up to 256 colours.
    case sixel
    case cells
}

/// Turns pixels into what a terminal shows as a picture; keeps its memory from picture to picture of the same size.
///
/// Not Sendable: the code that draws owns it.
package final class TerminalPicture {
    package let format: TerminalFormat

    private let abilities: TerminalAbilities
    private var canvas: OpaquePointer?
    private var size: TerminalSize?

    /// Looks up what the terminal can do.
    ///
    /// - Parameters:
    ///   - format: how pictures are shown; nil for the best way that the terminal is known to have.
    ///   - environment: the environment variables, by which terminals are recognised.
    /// - Throws: `TerminalError.noPicture` if that fails.
    package init(format: TerminalFormat? = nil, environment: [String: String]) throws(TerminalError) {
        abilities = try TerminalAbilities(environment: environment)
        self.format = format ?? abilities.format
        // The command has one picture to make at a time and other things to do: a second thread costs more than it saves.
        chafa_set_n_threads(1)
    }

    deinit {
        if let canvas { chafa_canvas_unref(canvas) }
    }

    /// The sequences that show a picture of that many cells, from the terminal's top left corner on.
    ///
    /// - Parameters:
    ///   - pixels: rows of B, G, R, A with the opacity multiplied in, as Cairo draws them.
    ///   - width: pixels in a row.
    ///   - height: rows.
    ///   - bytesPerRow: bytes from a row to the next.
    ///   - size: the cells to fill.
    /// - Returns: bytes to write to the terminal.
    /// - Throws: `TerminalError.noPicture` if there is no memory.
    package func sequences(
        pixels: UnsafeRawPointer,
        width: Int,
        height: Int,
        bytesPerRow: Int,
        size: TerminalSize
    ) throws(TerminalError) -> [UInt8] {
        if format == .kitty {
            return clearing
                + (try KittyPicture.sequences(
                    pixels,
                    width: width,
                    height: height,
                    bytesPerRow: bytesPerRow,
                    size: size
                ))
        }
        let canvas = try canvas(for: size)
        chafa_canvas_draw_all_pixels(
            canvas,
            CHAFA_PIXEL_BGRA8_PREMULTIPLIED,
            pixels.assumingMemoryBound(to: UInt8.self),
            Int32(width),
            Int32(height),
            Int32(bytesPerRow)
        )
        guard let printed = chafa_canvas_print(canvas, abilities.info) else { throw .noPicture }
        defer { g_string_free(printed, 1) }
        let text = UnsafeBufferPointer(start: printed.pointee.str, count: Int(printed.pointee.len))
        return clearing + placed(text.map(UInt8.init(bitPattern:)))
    }

    /// Back to the corner; in kitty's protocol a picture stays until it is taken away, so the last one is.
    package var clearing: [UInt8] {
        Array((format == .kitty ? "\u{1B}_Ga=d,q=2\u{1B}\\\u{1B}[H" : "\u{1B}[H").utf8)
    }

    /// Cells come as lines: without the line feeds' own effect on the column, each begins at the left.
    private func placed(_ text: [UInt8]) -> [UInt8] {
        guard format == .cells else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 64)
        for byte in text {
            if byte == UInt8(ascii: "\n") { result.append(UInt8(ascii: "\r")) }
            result.append(byte)
        }
        return result
    }

    private func canvas(for wanted: TerminalSize) throws(TerminalError) -> OpaquePointer {
        if let canvas, size == wanted { return canvas }
        if let canvas { chafa_canvas_unref(canvas) }
        canvas = nil
        guard let config = chafa_canvas_config_new() else { throw .noPicture }
        defer { chafa_canvas_config_unref(config) }
        chafa_canvas_config_set_geometry(config, Int32(wanted.columns), Int32(wanted.rows))
        chafa_canvas_config_set_cell_geometry(config, Int32(wanted.cellWidth), Int32(wanted.cellHeight))
        chafa_canvas_config_set_canvas_mode(
            config,
            format == .cells ? abilities.canvasMode : CHAFA_CANVAS_MODE_TRUECOLOR
        )
        chafa_canvas_config_set_pixel_mode(
            config,
            format == .sixel ? CHAFA_PIXEL_MODE_SIXELS : CHAFA_PIXEL_MODE_SYMBOLS
        )
        chafa_canvas_config_set_work_factor(config, 0)
        chafa_canvas_config_set_preprocessing_enabled(config, 0)
        setSymbols(of: config)
        guard let made = chafa_canvas_new(config) else { throw .noPicture }
        canvas = made
        size = wanted
        return made
    }

    /// Blocks and quadrants: every font has them, and few shapes to compare make quick pictures.
    private func setSymbols(of config: OpaquePointer) {
        guard let symbols = chafa_symbol_map_new() else { return }
        defer { chafa_symbol_map_unref(symbols) }
        for tag in [
            CHAFA_SYMBOL_TAG_SPACE, CHAFA_SYMBOL_TAG_SOLID, CHAFA_SYMBOL_TAG_HHALF, CHAFA_SYMBOL_TAG_VHALF,
            CHAFA_SYMBOL_TAG_QUAD,
        ] {
            chafa_symbol_map_add_by_tags(symbols, tag)
        }
        chafa_canvas_config_set_symbol_map(config, symbols)
    }
}

/// What a terminal can do, according to its environment variables.
final class TerminalAbilities {
    let info: OpaquePointer

    /// The best way to show pictures.
    let format: TerminalFormat

    /// The most colours that cells can have.
    let canvasMode: ChafaCanvasMode

    /// Looks the terminal up that the environment describes.
    init(environment: [String: String]) throws(TerminalError) {
        // Chafa takes the form of C's environ: name=value, ended by a null pointer.
        var entries = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for entry in entries { free(entry) } }
        guard let info = chafa_term_db_detect(chafa_term_db_get_default(), &entries) else { throw .noPicture }
        func has(_ sequence: ChafaTermSeq) -> Bool { chafa_term_info_have_seq(info, sequence) != 0 }
        if has(CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1) {
            format = .kitty
        } else {
            format = has(CHAFA_TERM_SEQ_BEGIN_SIXELS) ? .sixel : .cells
        }
        if has(CHAFA_TERM_SEQ_SET_COLOR_FGBG_DIRECT) {
            canvasMode = CHAFA_CANVAS_MODE_TRUECOLOR
        } else if has(CHAFA_TERM_SEQ_SET_COLOR_FGBG_256) {
            canvasMode = CHAFA_CANVAS_MODE_INDEXED_240
        } else {
            canvasMode =
                has(CHAFA_TERM_SEQ_SET_COLOR_FGBG_16) ? CHAFA_CANVAS_MODE_INDEXED_16 : CHAFA_CANVAS_MODE_FGBG_BGFG
        }
        // Sequences for what was asked for against the terminal's word. Only now: they claim that it can do everything.
        chafa_term_info_supplement(info, chafa_term_db_get_fallback_info(chafa_term_db_get_default()))
        self.info = info
    }

    deinit {
        chafa_term_info_unref(info)
    }
}
