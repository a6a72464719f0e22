extension String {
    /// The text in lines of a width in cells of a terminal, broken between words; a word that is longer is cut.
    package func wrapped(to width: Int) -> [String] {
        split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.cells + 1 + word.cells <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(word.cells <= width ? String(word) : word.prefix(cells: width - 1) + "…")
            }
        }
    }

    /// The text within a width, cut between words if it is longer.
    package func cut(to width: Int) -> String {
        guard cells > width else { return self }
        let line = wrapped(to: width - 2).first ?? ""
        return String((line.hasSuffix("…") ? line : line + " …").prefix(cells: width))
    }

    /// A name that others chose, made fit for a line of text: without control characters, at most 48 cells wide.
    var shownName: String { printable.shortened(to: 48) }

    /// The text within a width, cut anywhere if it is longer.
    func shortened(to width: Int) -> String { cells > width ? prefix(cells: width - 1) + "…" : self }

    /// The text with spaces behind it up to a width, or before it.
    package func padding(to width: Int, alignsRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - cells))
        return alignsRight ? blanks + self : self + blanks
    }

    /// The text in a style of ECMA-48 (SGR) where the terminal shows styles; as it is without a style.
    package func styled(_ style: String?, if hasColors: Bool) -> String {
        guard hasColors, let style else { return self }
        return "\u{1B}[\(style)m\(self)\u{1B}[0m"
    }
}

extension Int {
    /// The number with its noun: 1 face, 2 faces.
    package func counted(_ noun: String) -> String { "\(self) \(self.noun(noun))" }

    /// The number of faces in words, and how many of them are seen if some are held.
    func countedFaces(held: Int) -> String { counted("face") + (held > 0 ? ", \(self - held) seen" : "") }

    /// The noun in the form that fits the number: face, faces.
    package func noun(_ noun: String) -> String { self == 1 ? noun : noun + "s" }
}
