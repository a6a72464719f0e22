import CChafa
import Glibc

/// How a terminal can show a picture.
package enum TerminalFormat: String, Hashable, Sendable, CaseIterable {
    /// Pixels by the kitty graphics protocol.
    case kitty
    /// Pixels by DEC's sixel graphics, up to 256 colours.
    case sixel
    /// Coloured character cells, which every terminal can show.
    case cells
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
