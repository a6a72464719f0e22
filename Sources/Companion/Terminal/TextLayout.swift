extension String {
    /// The text as lines of at most `width` terminal cells, broken between words. A longer word is cut.
    package func wrapped(to width: Int) -> [String] {
        split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.cells + 1 + word.cells <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(word.cells <= width ? String(word) : word.prefix(cells: width - 1) + "…")
            }
        }
    }

    /// The text, cut between words if it is wider than `width` terminal cells.
    package func cut(to width: Int) -> String {
        guard cells > width else { return self }
        let line = wrapped(to: width - 2).first ?? ""
        return String((line.hasSuffix("…") ? line : line + " …").prefix(cells: width))
    }

    /// A name from outside, made fit for display: without control characters, and at most 48 terminal cells wide.
    var shownName: String { printable.shortened(to: 48) }

    /// The text, cut anywhere if it is wider than `width` terminal cells.
    func shortened(to width: Int) -> String { cells > width ? prefix(cells: width - 1) + "…" : self }

    /// The text, filled up with spaces to `width` terminal cells.
    package func padding(to width: Int, alignsRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - cells))
        return alignsRight ? blanks + self : self + blanks
    }

    /// The text with the SGR parameters `style` (ECMA-48); unchanged without a style or on a terminal without colours.
    package func styled(_ style: String?, if hasColors: Bool) -> String {
        guard hasColors, let style else { return self }
        return "\u{1B}[\(style)m\(self)\u{1B}[0m"
    }
}

extension Int {
    /// The number with its noun, such as `1 face` or `2 faces`.
    package func counted(_ noun: String) -> String { "\(self) \(self.noun(noun))" }

    /// The number of faces as text, such as `3 faces, 2 seen` if one is held, that is, present without being seen.
    func countedFaces(held: Int) -> String { counted("face") + (held > 0 ? ", \(self - held) seen" : "") }

    /// The noun in the form for this number: `face` or `faces`.
    package func noun(_ noun: String) -> String { self == 1 ? noun : noun + "s" }
}
