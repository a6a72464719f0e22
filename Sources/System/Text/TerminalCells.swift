import CLinux

extension Unicode.Scalar {
    /// The C library's UTF-8 locale, which knows the width of every character whatever the user's language.
    private nonisolated(unsafe) static let tables = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

    /// The number of terminal cells of the character: 2 for most East Asian ones and emoji, 0 for combining marks.
    fileprivate var cells: Int {
        if 0x20..<0x7F ~= value { return 1 }
        // A skin tone changes the emoji before it, and takes no cell of its own.
        if 0x1F3FB...0x1F3FF ~= value { return 0 }
        guard let tables = Self.tables else { return 1 }
        let before = uselocale(tables)
        defer { uselocale(before) }
        return max(0, Int(cells_of_character(wchar_t(value))))
    }
}

extension StringProtocol {
    /// The number of terminal cells that the text takes. It must not contain control characters.
    package var cells: Int { unicodeScalars.reduce(0) { $0 + $1.cells } }

    /// Returns the longest prefix, in whole characters, that fits into `limit` terminal cells.
    package func prefix(cells limit: Int) -> SubSequence {
        prefix(limit) { character in character.unicodeScalars.reduce(0) { $0 + $1.cells } }
    }
}
