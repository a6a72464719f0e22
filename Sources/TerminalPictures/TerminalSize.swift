/// How large a terminal is.
package struct TerminalSize: Hashable, Sendable {
    /// Characters in a row.
    package var columns: Int

    /// Rows.
    package var rows: Int

    /// The pixels of a character cell, from the terminal or else a guess.
    package var cellWidth: Int

    /// The pixels of a character cell, from the terminal or else a guess.
    package var cellHeight: Int

    /// The size of a cell where the terminal does not report it: twice as high as wide, as most fonts.
    static let usualCell = (width: 8, height: 16)

    /// Makes a size from columns, rows and the whole terminal's pixels, 0 where it does not report them.
    package init(columns: Int, rows: Int, pixelWidth: Int = 0, pixelHeight: Int = 0) {
        self.columns = columns
        self.rows = rows
        let cell = (pixelWidth / max(1, columns), pixelHeight / max(1, rows))
        (cellWidth, cellHeight) = cell.0 >= 2 && cell.1 >= 2 ? cell : Self.usualCell
    }

    /// The same without its last row.
    package var withoutLastRow: TerminalSize {
        var result = self
        result.rows = max(1, rows - 1)
        return result
    }

    /// The pixels that are worth drawing for a format. Cells show about 4×8 details each, whatever their own size is.
    package func drawingSize(for format: TerminalFormat) -> (width: Int, height: Int) {
        switch format {
        case .kitty, .sixel: return (columns * cellWidth, rows * cellHeight)
        case .cells:
            let height = max(1, Int((4 * Double(cellHeight) / Double(cellWidth)).rounded()))
            return (columns * 4, rows * height)
        }
    }
}
